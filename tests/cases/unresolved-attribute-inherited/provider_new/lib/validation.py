"""What is checked of tables."""


def check_columns(estimator, table):
    estimator.columns = len(table)
