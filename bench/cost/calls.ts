/**
 * Cost of a million calls of each kind, calculated from counted units and requests, assumed times, and dated prices.
 */
import { functions } from '#features/functions.ts';
import { entries, type MeasurementKind, measured } from './measured.ts';
import type { Prices } from './prices.ts';

/** US dollars by category of the bill. */
export type Parts = Readonly<Record<'api' | 'compute' | 'tables' | 'evidence' | 'workflow' | 'logs', number>>;

/** Assumed values, each with its source. None of them was measured on AWS. */
export const assumed = {
  /** Seconds that a provider takes to send a whole response or to stream all of its tokens. */
  chatSeconds: 2,
  streamSeconds: 30,
  /**
   * CPU milliseconds per call from `npm run bench` (`docs/explanation/performance.md`), including the store's client.
   */
  cpuMs: { chat: 1.3, stream: 7, action: 4, review: 12, mcp: 6 },
  /** Number of consecutive requests to the store, 5 ms each. */
  storeSteps: { chat: 2, stream: 2, action: 3, review: 9, mcp: 4 },
  storeMs: 5,
  /** Milliseconds that the upstream MCP server takes per call. */
  upstreamMs: 200,
  /** MB of memory that come with one vCPU. */
  mbOfVcpu: 1_769,
  /** Log bytes per call: function lines, metrics, the access log and Lambda's own lines. */
  logBytes: 2_400,
  /**
   * Log bytes per call in containers, where the load balancer logs to S3: `test/runtime` counted 340 bytes for an
   * action and 450 for a chat.
   */
  logBytesInContainers: 500,
  traceShare: 0.05,
  /**
   * Average number of concurrent calls over a day in a task with 1 vCPU and 2 GB, and the share of its CPU that those
   * calls use.
   */
  callsOfTask: 125,
  busyShareOfTask: 0.4,
  /** Bytes that a call exchanges with a provider or server through the NAT gateway. */
  upstreamBytes: { chat: 8_000, stream: 16_000, action: 0, mcp: 8_000 },
  /**
   * Transitions of `state-machines/approval.asl.json`: one into each of its three steps, and one to the end. A test
   * counts them.
   */
  transitions: 4,
} as const;

/** Memory size of the functions that serve each kind of call; a review's step functions have the same size. */
const memoryMb = {
  chat: functions['chat-completions'].memoryMb,
  stream: functions['chat-completions'].memoryMb,
  action: functions['test-action'].memoryMb,
  review: functions['test-action'].memoryMb,
  mcp: functions.mcp.memoryMb,
};
/** HTTP requests made by the caller and the approver; a review's steps are separate invocations. */
const requests = { chat: 1, stream: 1, action: 1, review: 3, mcp: 1 } as const;
const stepsOfMachine = 3;

/** Returns the seconds that a function spends on a call, busy or waiting. */
function lambdaSeconds(kind: MeasurementKind): number {
  const ownMs = assumed.cpuMs[kind] / Math.min(1, memoryMb[kind] / assumed.mbOfVcpu);
  const storeMs = assumed.storeSteps[kind] * assumed.storeMs;
  const waits = { chat: assumed.chatSeconds, stream: assumed.streamSeconds, mcp: assumed.upstreamMs / 1_000 };
  return (ownMs + storeMs) / 1_000 + (kind in waits ? waits[kind as keyof typeof waits] : 0);
}

/** Prices and the cost of evidence, from which the cost of a call is calculated. */
export interface Bill {
  readonly prices: Prices;
  /** US dollars for a million entries' copies, checkpoints and views. */
  readonly entries: number;
}

/** @returns US dollars for a million calls served by functions */
export function onLambda(kind: MeasurementKind, bill: Bill): Parts {
  const { prices } = bill;
  const invocations = requests[kind] + (kind === 'review' ? stepsOfMachine : 0);
  const gbSeconds = lambdaSeconds(kind) * (memoryMb[kind] / 1_024);
  return {
    ...sharedCost(kind, bill),
    api: requests[kind] * (prices.restRequests + assumed.traceShare * prices.traces),
    compute: invocations * prices.lambdaRequests + gbSeconds * prices.lambdaGbSecond * 1e6,
  };
}

/** Kinds of calls that the streaming plane serves. */
export type KindInContainers = 'chat' | 'stream' | 'action';

const taskHour = (prices: Prices): number => prices.fargateVcpuHour + 2 * prices.fargateGbHour;

/** @returns US dollars for a million calls served by tasks behind a load balancer, without `planeMonth` */
export function onTasks(kind: KindInContainers, bill: Bill): Parts {
  const { prices } = bill;
  const own = sharedCost(kind, bill, assumed.logBytesInContainers);
  const callHours = (1e6 * lambdaSeconds(kind)) / 3_600;
  const processorHours = (1e3 * assumed.cpuMs[kind]) / 3_600;
  // One load balancer unit covers 3,000 concurrent connections or 25 new ones per second. Each call is assumed to open
  // its own connection.
  const balancer = Math.max(callHours / 3_000, 1e6 / 25 / 3_600) * prices.loadBalancerUnitHour;
  const gigabytes = (assumed.upstreamBytes[kind] + assumed.logBytesInContainers) / 1e3;
  return {
    ...own,
    api: balancer + gigabytes * prices.natGb,
    compute: Math.max(callHours / assumed.callsOfTask, processorHours / assumed.busyShareOfTask) * taskHour(prices),
  };
}

const hoursOfMonth = 730;
/**
 * @returns US dollars per month for the streaming plane if there are no calls: a load balancer, two NAT gateways and
 * two tasks
 */
export const planeMonth = (prices: Prices): number =>
  hoursOfMonth * (prices.loadBalancerHour + 2 * prices.natHour + 2 * taskHour(prices));

/** Returns the cost that all kinds share: rows, copies of their entries and log lines. */
function sharedCost(
  kind: MeasurementKind,
  { prices, entries: entryCost }: Bill,
  logBytes: number = assumed.logBytes,
): Omit<Parts, 'api' | 'compute'> {
  const { read, write } = measured[kind];
  return {
    tables: read * prices.readUnits + write * prices.writeUnits,
    evidence: entries[kind] * entryCost,
    // The vote is signed.
    workflow: kind === 'review' ? assumed.transitions * prices.transitions + prices.signatures : 0,
    logs: requests[kind] * (logBytes / 1e3) * prices.logGb,
  };
}

export const total = (parts: Parts): number => Object.values(parts).reduce((sum, part) => sum + part, 0);
