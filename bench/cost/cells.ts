/**
 * Number of cells that a load needs (`docs/explanation/cells.md`). A cell is one deployment, in its own account, for a
 * group of tenants. Its capacity follows from the limits below, which were not measured on AWS.
 */
import { assumed } from './calls.ts';
import { headRows, line, type Mix, mixCost } from './tables.ts';

/** Shares of calls: half are actions, a third are chats of 2 s, and a sixth are streams of 30 s in containers. */
const shares = { actions: 1 / 2, chats: 1 / 3, 'streams-in-containers': 1 / 6 } as const;
const actionSeconds = 0.1;
/**
 * Share of its lowest limit up to which each cell is filled, so that it can take over a neighbour's tenants while the
 * neighbour is down.
 */
const fill = 0.5;

/** Number of functions busy at the same time when the mix arrives at one call per second. */
const executions = shares.chats * assumed.chatSeconds + shares.actions * actionSeconds;
/** Write units that one entry costs in the evidence table and its index if it is written in a transaction. */
const evidenceUnits = 3;

interface CellLimit {
  readonly what: string;
  /** Calls per second, in the given mix, at which the limit is reached. */
  readonly callsPerSecond: number;
}

/** Limits of one deployment that a quota increase cannot raise, or can raise only slightly, lowest first. */
const limits: readonly CellLimit[] = [
  {
    what: 'API Gateway: 10,000 requests per second per account and region',
    callsPerSecond: 10_000 / (shares.actions + shares.chats),
  },
  { what: 'evidence table: 40,000 write units per second', callsPerSecond: 40_000 / evidenceUnits },
  // Each environment reads the pointer every five seconds, and one partition key allows 3,000 reads per second.
  { what: 'one partition key of the configuration: 15,000 environments', callsPerSecond: 15_000 / executions },
].sort((a, b) => a.callsPerSecond - b.callsPerSecond);

interface Cells {
  readonly callsPerSecond: number;
  readonly cells: number;
  readonly usdMonth: number;
  /** Number of functions that run at the same time in one cell. */
  readonly executions: number;
  readonly tasks: number;
  readonly evidenceUnits: number;
  readonly firstLimit: string;
}

async function cellsFor(callsPerSecond: number, region?: string): Promise<Cells> {
  const [first] = limits;
  const cells = Math.ceil(callsPerSecond / (first!.callsPerSecond * fill));
  const own = callsPerSecond / cells;
  const mix = Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, share * own])) as Mix;
  const { month } = await mixCost(mix, { region, tenants: 100 });
  return {
    callsPerSecond,
    cells,
    usdMonth: month * cells,
    executions: Math.ceil(own * executions),
    tasks: Math.ceil((own * shares['streams-in-containers'] * assumed.streamSeconds) / assumed.callsOfTask),
    evidenceUnits: Math.ceil(own * evidenceUnits),
    firstLimit: first!.what,
  };
}

const loads = [1_000, 10_000, 100_000];

/** Returns the table of `docs/explanation/cells.md`. */
export async function cellsTable(region?: string): Promise<string> {
  const rows = await Promise.all(loads.map((load) => cellsFor(load, region)));
  const whole = (amount: number) => Math.round(amount).toLocaleString('en');
  return [
    ...headRows([
      'calls per second',
      'cells',
      'USD a month',
      'executions per cell',
      'tasks per cell',
      'evidence write units per cell',
    ]),
    ...rows.map((row) =>
      line([
        ...[whole(row.callsPerSecond), whole(row.cells), whole(Number(row.usdMonth.toPrecision(2)))],
        ...[whole(row.executions), whole(row.tasks), whole(row.evidenceUnits)],
      ]),
    ),
  ].join('\n');
}
