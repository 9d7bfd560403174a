/** The tables in `docs/explanation/cost.md`, and the tables for a mix of calls that you specify. */
import { type KindInContainers, onLambda, onTasks, type Parts, planeMonth, total } from './calls.ts';
import { countEvidence, evidenceCost } from './evidence.ts';
import { dashboardsMonth, idleMonth } from './idle.ts';
import { entries, type MeasurementKind } from './measured.ts';
import { type Prices, pricesOf } from './prices.ts';

/** A kind of call, both as a table row and as a command option. */
type CallKind = {
  readonly what: string;
  /** Targets in US dollars per million calls: at five actions per second, and under heavy load. */
  readonly targets?: readonly [quiet: number, busy: number];
} & (
  | { readonly kind: MeasurementKind; readonly inContainers?: never }
  | { readonly kind: KindInContainers; readonly inContainers: true }
);

/** Kinds of calls, keyed by the option that sets their rate. */
export const callKinds = {
  actions: { what: 'allowed action', kind: 'action', targets: [15, 10] },
  'actions-in-containers': {
    what: 'allowed action in containers',
    kind: 'action',
    inContainers: true,
    targets: [15, 10],
  },
  chats: { what: '2 s chat, not streamed', kind: 'chat', targets: [30, 22] },
  'chats-in-containers': { what: 'the same in containers', kind: 'chat', inContainers: true, targets: [30, 22] },
  streams: { what: 'stream of 30 s on Lambda', kind: 'stream' },
  'streams-in-containers': { what: 'stream of 30 s in containers', kind: 'stream', inContainers: true },
  mcp: { what: 'MCP call of 0.2 s', kind: 'mcp' },
  reviews: { what: 'review, its vote and its use', kind: 'review', targets: [200, 200] },
} as const satisfies Record<string, CallKind>;
export type CallOption = keyof typeof callKinds;

const quietRate = 5;
const busyRate = 100;
const idleTarget = 20;
export const secondsOfMonth = 2_628_000;

const usd = (amount: number): string => amount.toFixed(amount >= 100 ? 0 : 1);
export const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
export const headRows = (cells: readonly string[]): string[] => [
  line(cells),
  line(['---', ...cells.slice(1).map(() => '---:')]),
];

const costParts = (call: CallKind, prices: Prices, perEntries: number): Parts => {
  const bill = { prices, entries: perEntries };
  return call.inContainers ? onTasks(call.kind, bill) : onLambda(call.kind, bill);
};

/**
 * Returns US dollars for a million calls at a given rate, including their share of the streaming plane's fixed cost.
 */
const wholeCost = ({ inContainers }: CallKind, parts: Parts, prices: Prices, perSecond: number): number =>
  total(parts) + (inContainers ? (planeMonth(prices) * 1e6) / (perSecond * secondsOfMonth) : 0);

/** Returns the documented tables: a million calls at two rates, and a month without calls. */
export async function costTables(region?: string): Promise<string> {
  const { prices } = pricesOf(region);
  const [quiet, busy] = await Promise.all(
    [quietRate, busyRate].map(async (entriesPerSecond) =>
      evidenceCost(await countEvidence({ entriesPerSecond, tenants: 1 }), prices),
    ),
  );
  const parts = ['api', 'compute', 'tables', 'workflow', 'logs'] as const;
  const kinds: readonly CallKind[] = Object.values(callKinds);
  return [
    ...headRows([
      ...['A million calls', 'API', 'compute', 'tables', 'workflow', 'logs', 'evidence at 5/s', 'at 100/s'],
      ...['in all at 5/s', 'target', 'at 100/s', 'target'],
    ]),
    ...kinds.map((call) => {
      const [atQuiet, atBusy] = [costParts(call, prices, quiet!), costParts(call, prices, busy!)];
      const [quietTarget = '', busyTarget = ''] = call.targets ?? [];
      return line([
        ...[call.what, ...parts.map((part) => usd(atQuiet[part])), usd(atQuiet.evidence), usd(atBusy.evidence)],
        ...[usd(wholeCost(call, atQuiet, prices, quietRate)), String(quietTarget)],
        ...[usd(wholeCost(call, atBusy, prices, busyRate)), String(busyTarget)],
      ]);
    }),
    '',
    ...idleTable(prices),
  ].join('\n');
}

function idleTable(prices: Prices): string[] {
  const idle = Object.entries(idleMonth(prices));
  const all = idle.reduce((sum, [, amount]) => sum + amount, 0);
  return [
    ...headRows(['An idle month', 'USD']),
    ...idle.map(([what, amount]) => line([what, usd(amount)])),
    line(['in all', usd(all)]),
    line([`with \`-c dashboards=off\` (target ${idleTarget})`, usd(all - dashboardsMonth(prices))]),
  ];
}

export type Mix = Readonly<Partial<Record<CallOption, number>>>;

/** The cost of calls at given rates per second. */
export interface MixCost {
  readonly entriesPerSecond: number;
  /** US dollars for a million entries. */
  readonly evidence: number;
  readonly calls: readonly {
    readonly what: string;
    readonly perSecond: number;
    readonly million: number;
    readonly month: number;
  }[];
  readonly idleMonth: number;
  /** Monthly cost of the streaming plane without any calls. Set if some calls of the mix are served in containers. */
  readonly planeMonth?: number;
  readonly month: number;
}

/** Returns the cost of a mix. Copies of entries are costed at the rate of the whole mix. */
export async function mixCost(
  mix: Mix,
  { region, tenants }: { readonly region?: string | undefined; readonly tenants: number },
): Promise<MixCost> {
  const { prices } = pricesOf(region);
  const asked = Object.entries(mix) as [CallOption, number][];
  const entriesPerSecond = asked.reduce((sum, [name, rate]) => sum + rate * entries[callKinds[name].kind], 0);
  const evidence = evidenceCost(await countEvidence({ entriesPerSecond, tenants }), prices);
  const calls = asked.map(([name, perSecond]) => {
    const million = total(costParts(callKinds[name], prices, evidence));
    return { what: callKinds[name].what, perSecond, million, month: (million * perSecond * secondsOfMonth) / 1e6 };
  });
  const idle = Object.values(idleMonth(prices)).reduce((sum, amount) => sum + amount, 0);
  const plane = asked.some(([name]) => 'inContainers' in callKinds[name]) ? planeMonth(prices) : undefined;
  return {
    entriesPerSecond,
    evidence,
    calls,
    idleMonth: idle,
    ...(plane !== undefined && { planeMonth: plane }),
    month: idle + (plane ?? 0) + calls.reduce((sum, { month }) => sum + month, 0),
  };
}

export const mixTable = ({
  calls,
  idleMonth: idle,
  planeMonth: plane,
  month,
  evidence,
  entriesPerSecond,
}: MixCost): string =>
  [
    ...headRows(['calls', 'per second', 'USD a million', 'USD a month']),
    ...calls.map((call) => line([call.what, String(call.perSecond), usd(call.million), usd(call.month)])),
    line(['without any call', '', '', usd(idle)]),
    ...(plane === undefined ? [] : [line(['streaming plane without any call', '', '', usd(plane)])]),
    line(['in all', '', '', usd(month)]),
    '',
    `Copies, checkpoints and views of evidence at ${entriesPerSecond} entries per second: ${usd(evidence)} USD per million entries.`,
  ].join('\n');
