#!/usr/bin/env bash
# On a GPU machine with the unpacked kit in ~/k: `h200.sh PART...`, of which each is a function below. See docs/runner.md.
# What the program needs beyond the kit (unidiff) may lie in .extra of the checkout, carried with the call.
# It prints what was measured; logs and manifests go to $OUT/results-PART.tgz.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
here=benchmarks/gpu
kit=${KIT:-$HOME/k/stage}
work=${WORK:-/tmp/api-audit}
OUT=${OUT:-$work/out}
results=$work/results
python=${PYTHON:-$(command -v python3)}
patches=${PATCHES:-$(ls -d "$kit"/patches/speculators-0.3.0--vllm-* | tail -n 1)}
mkdir -p "$work" "$results" "$OUT"
export PYTHONPATH=$kit/site:$PWD/.extra HF_HUB_OFFLINE=1 VLLM_WORKER_MULTIPROC_METHOD=spawn PYTHONUNBUFFERED=1 VLLM_NO_USAGE_STATS=1
failed=()

# The program comes from this checkout; the job's own path does not hold it.
program() { "$python" -c "import sys; sys.path.insert(0, '$PWD'); from auditor.runner.__main__ import main; sys.exit(main(sys.argv[1:]))" "$@"; }
run() { command=$1; shift; program "$command" --python "$python" --patches "$patches" --unsafe-fixes "$@"; }
inside() { module=$1; shift; PYTHONPATH=$PWD:$PYTHONPATH "$python" -m "auditor.runner.inside.$module" "$@"; }
step() { # name, command...
  name=$1; shift; begun=$SECONDS
  printf '\n== %s\n' "$name"
  "$@" > "$results/$name.log" 2>&1; code=$?
  grep -v -E '^(INFO|WARNING|\(|\[)' "$results/$name.log" | tail -n "${LINES_SHOWN:-16}"
  printf '== %s: exit %d, %d s\n' "$name" "$code" "$((SECONDS - begun))"
  [ "$code" -eq "${EXPECT:-0}" ] || failed+=("$name")
}
make_model() { # of, layers, vocabulary, to
  [ -f "$4/config.json" ] && return
  inside shrink --model "${MODELS:-$here/models}/$1" --out "$4" --layers "$2" --experts "${EXPERTS:-8}" --vocabulary "$3" --width real
}
prompts() { "$python" $here/prompts.py "$@"; }
llama() { model=$work/llama layers=1,3,5,7; step make-model make_model llama-7168 8 32000 "$work/llama"; prompts 10 512 32000 > "$work/ten.jsonl"; prompts "${MANY:-480}" 512 32000 > "$work/many.jsonl"; }
extract() { # name, data, options...; of $model and $layers
  name=$1; data=$2; shift 2
  step "$name" run extract --no-preflight --model "$model" --layers "$layers" --max-length 512 --data "$work/$data" --out "$work/$name" "$@"
  cp "$work/$name/manifest.json" "$results/$name.json" 2> /dev/null
  tail -c 200000 "$work/$name/api-audit-run/log-0.txt" > "$results/$name.engine.txt" 2> /dev/null
}
save() { for run in first second; do tail -c 200000 "$work/$1/$run/api-audit-run/log-0.txt" > "$results/$1-$run.engine.txt" 2> /dev/null; done; cp "$work/$1"/*.txt "$results/" 2> /dev/null; }
held() { EXPECT=$1 step "$2" "${@:3}"; }
memory() { nvidia-smi --query-gpu=memory.used --format=csv,noheader | tr '\n' ' '; }

one() {
  held 0 preflight run preflight
  held 1 preflight-unpatched run preflight --unpatched
  llama
  extract first ten.jsonl
  extract second ten.jsonl
  step agree "$python" $here/agree.py "$work/first" "$work/second" 512 "${WIDTH:-7168}" 4
  step transformers inside compare --plan "$work/first/api-audit-run/plan" --first "$work/first" --second "$work/second" \
    --model "$work/llama" --layers 1,3,5,7 --reference
  tail -n 1 "$results/transformers.log" | grep -q ', false,' && failed+=(values)
}
rehearsal() {
  step rehearse run rehearse --work "$work/rehearsal" --model "${MODELS:-$here/models}/llama-7168" -q
  save rehearsal
}
speed() { # before and after: in turn; overlapped, with a sync of every sample, with one now and then, with none
  llama
  extract plain many.jsonl --pipeline plain
  for sync in each batch never; do rm -rf "$work"/*/data_*; extract "sync-$sync" many.jsonl --sync $sync; done
  rm -rf "$work"/*/data_*
}
two() {
  llama
  extract tp1 many.jsonl
  extract tp2 many.jsonl --tensor-parallel 2
  step agree-tp2 "$python" $here/agree.py "$work/tp1" "$work/tp2" 512 "${WIDTH:-7168}" 4
  rm -rf "$work"/tp2/data_*
  extract replicas many.jsonl --replicas 2
  step agree-replicas "$python" $here/agree.py "$work/tp1" "$work/replicas" 512 "${WIDTH:-7168}" 4
}
deepseek() {
  step rehearse-deepseek run rehearse --work "$work/deepseek" --model $here/models/kimi-k2-like --width real -q
  save deepseek
}
narrow() {
  step rehearse-narrow run rehearse --work "$work/narrow" --model $here/models/kimi-k2-like -q
  save narrow
}

room() { # gigabytes of weights: what the GPUs hold beside their caches, and the disk beside 1,000 samples
  free=$(($(df -BG --output=avail "$work" | tail -n 1 | tr -dc 0-9) - 40)); hold=$((gpus * 80))
  echo $((free < hold ? free : hold))
}
numbers() { "$python" -c "import json, sys; n = json.load(open(sys.argv[1]))['num_hidden_layers'] - 1; print(*sorted({0, n // 3, 2 * n // 3, n}), sep=',')" "$1/config.json"; }
scale() { # the shape of the original story on all GPUs: a large mixture of experts, ten samples, a thousand
  model=$work/large
  [ -f "$model/config.json" ] || step make-large env PYTHONPATH="$PWD:$PYTHONPATH" "$python" $here/large.py "${MODELS:-$here/models}/kimi-k2-like" "$model" "${GIGABYTES:-$(room)}"
  layers=$(numbers "$model")
  prompts 10 512 32000 > "$work/ten.jsonl"; prompts "${COUNT:-1000}" 512 32000 > "$work/thousand.jsonl"
  held 0 preflight-scale run preflight
  step rehearse-scale run rehearse --work "$work/rehearse-scale" --model "$model" --tensor-parallel "$gpus" -q
  save rehearse-scale
  extract large-ten ten.jsonl --tensor-parallel "$gpus"
  extract large-thousand thousand.jsonl --tensor-parallel "$gpus"
  step agree-large "$python" $here/agree.py "$work/large-ten" "$work/large-thousand" 512 "${WIDTH:-7168}" 4
}
killed() { # a worker dies in the middle: the others go with it, and the same command resumes to the same bytes
  model=$work/large layers=$(numbers "$work/large")
  rm -rf "$work"/killed
  given=(--no-preflight --model "$model" --layers "$layers" --max-length 512 --data "$work/thousand.jsonl" --out "$work/killed" --tensor-parallel "$gpus")
  run extract "${given[@]}" -q > "$results/killed.log" 2>&1 & job=$!
  until [ "$(find "$work/killed" -name 'data_*.pt' 2> /dev/null | head -n 100 | wc -l)" -ge 100 ]; do kill -0 $job 2> /dev/null || break; sleep 0.2; done
  worker=$("$python" -c "import json, sys; print(next(e['workers'][-1] for e in map(json.loads, open(sys.argv[1])) if e['event'] == 'ready'))" "$work/killed/api-audit-run/events-0.jsonl")
  kill -9 "$worker"; echo "killed worker $worker of $gpus"
  wait $job; echo "exit code $?: $(tail -n 1 "$results/killed.log")"; echo "GPU memory used: $(memory)"
  extract killed thousand.jsonl --tensor-parallel "$gpus"
  step agree-killed "$python" $here/agree.py "$work/large-thousand" "$work/killed" 512 "${WIDTH:-7168}" 4
}
ladder() { # tensor parallel N, ..., 2, 1 of a model that one GPU holds
  model=$work/small layers=0,1,2,3
  step make-small make_model kimi-k2-like 4 32000 "$model"
  prompts 40 512 32000 > "$work/forty.jsonl"
  for n in 1 2 4 8; do [ "$n" -le "$gpus" ] || break
    extract "ladder-$n" forty.jsonl --tensor-parallel "$n"
    [ "$n" -eq 1 ] || step "agree-ladder-$n" "$python" $here/agree.py "$work/ladder-1" "$work/ladder-$n" 512 "${WIDTH:-7168}" 4
  done
}
full() { # the GPU's memory is taken by another process: out of memory while the weights are loaded, then resumed
  llama
  "$python" -c "import torch, time; free, _ = torch.cuda.mem_get_info(); x = torch.empty(free - (8 << 30), dtype=torch.uint8, device='cuda'); print('taken', flush=True); time.sleep(600)" > "$work/taken" & taker=$!
  until grep -q taken "$work/taken"; do kill -0 $taker || break; sleep 0.2; done
  EXPECT=2 extract full ten.jsonl --gpu-memory 0.05
  kill $taker; wait $taker 2> /dev/null; echo "GPU memory used: $(memory)"
  extract full ten.jsonl
}

gpus=${GPUS:-$(nvidia-smi -L | wc -l)}
nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader
echo "GPU memory used before: $(memory)"
for part in "$@"; do "$part"; done
echo
grep -h -E 'tok/s|waited|copying|large:|agree |relative error|nothing fails|would fail|rehearsal' "$results"/*.log | sort -u | tail -n 60
for file in "$results"/*.json; do [ -e "$file" ] && "$python" -c "
import json, sys
book = json.load(open(sys.argv[1])); run = book['runs'][-1]
names = ('tokens_per_second', 'steady_tokens_per_second', 'waiting_share', 'computing_seconds', 'copying_seconds', 'writing_seconds', 'waited_for_writing_seconds', 'last_sync_seconds', 'start_seconds')
print(sys.argv[1].rsplit('/', 1)[1], run['state'], book.get('form'), {n: run.get(n) for n in names})" "$file"; done
echo "GPU memory used after: $(memory)"
tar czf "$OUT/results-$1.tgz" -C "$work" results
echo "failed: ${failed[*]:-nothing}"
[ ${#failed[@]} -eq 0 ]
