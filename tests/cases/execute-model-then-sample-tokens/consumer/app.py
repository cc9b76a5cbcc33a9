from vllm.v1.executor.multiproc_executor import MultiprocExecutor


class Driver:
    def __init__(self, config):
        self.executor = MultiprocExecutor(config)

    def run(self, outputs):
        model_output = []
        for output in outputs:
            self.executor.execute_model(output)  # expect[execute-model-then-sample-tokens]
        return model_output

    def kept(self, output):
        reply = self.executor.execute_model(output)  # expect[execute-model-then-sample-tokens]
        return reply[0]

    def finished(self, output):
        reply = self.executor.execute_model(output)  # ok: the second half of the step follows
        if hasattr(self.executor, "sample_tokens") and reply is None:
            reply = self.executor.sample_tokens(None)
        return reply

    def handed_on(self, output):
        return self.executor.execute_model(output)  # ok: the caller has to see to it
