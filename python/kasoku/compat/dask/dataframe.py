"""dask.dataframe: refused."""

raise ImportError(
    "kasoku has no dask.dataframe: data frames stay with Dask and pandas\n"
    "  fix  `kasoku run --real dask …` uses the installed dask for the whole program",
    name="dask.dataframe",
)
