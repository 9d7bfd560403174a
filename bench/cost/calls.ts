/** Cost of a million calls of each kind, from counted units and requests, assumed times and dated prices. */
import { functions } from '#features/functions.ts';
import { entries, type Kind, measured } from './measured.ts';
import type { Prices } from './prices.ts';

/** US dollars by part of the bill. */
export type Parts = Readonly<Record<'api' | 'compute' | 'tables' | 'evidence' | 'workflow' | 'logs', number>>;

/** Where a time comes from stands beside it. None was measured on AWS. */
export const assumed = {
  /** Seconds that a provider takes for a whole answer, and a stream for all of its tokens. */
  chatSeconds: 2,
  streamSeconds: 30,
  /** Processor milliseconds of a call: `npm run bench` (`docs/explanation/performance.md`), client of the store included. */
  cpuMs: { chat: 1.3, stream: 7, action: 4, review: 12, mcp: 6 },
  /** Requests to the store that follow each other, of 5 ms each. */
  storeSteps: { chat: 2, stream: 2, action: 3, review: 9, mcp: 4 },
  storeMs: 5,
  /** Milliseconds of the MCP server behind a call. */
  upstreamMs: 200,
  /** A vCPU comes with 1,769 MB of memory. */
  mbOfVcpu: 1_769,
  /** Bytes of log a call: lines of the function, metrics, access log, Lambda's own. */
  logBytes: 2_400,
  /** The same in containers, where the load balancer logs to S3: `test/runtime` counted 340 for an action, 450 for a chat. */
  logBytesInContainers: 500,
  traceShare: 0.05,
  /** Calls that a task of 1 vCPU and 2 GB holds on average over a day, and the share of its processor that they use. */
  callsOfTask: 125,
  busyShareOfTask: 0.4,
  /** Bytes that a call exchanges with a provider or a server, through the NAT gateway. */
  upstreamBytes: { chat: 8_000, stream: 16_000, action: 0, mcp: 8_000 },
  /** Transitions of `state-machines/approval.asl.json`: into each of its three steps, and to the end. A test counts them. */
  transitions: 4,
} as const;

/** Of the functions that answer each kind; the steps of a review have as much. */
const memoryMb = {
  chat: functions['chat-completions'].memoryMb,
  stream: functions['chat-completions'].memoryMb,
  action: functions['test-action'].memoryMb,
  review: functions['test-action'].memoryMb,
  mcp: functions.mcp.memoryMb,
};
/** Requests of the caller and the approver over HTTP; a review's steps are invocations of their own. */
const requests = { chat: 1, stream: 1, action: 1, review: 3, mcp: 1 } as const;
const stepsOfMachine = 3;

/** Seconds that a function is busy or waits for a call. */
function lambdaSeconds(kind: Kind): number {
  const ownMs = assumed.cpuMs[kind] / Math.min(1, memoryMb[kind] / assumed.mbOfVcpu);
  const storeMs = assumed.storeSteps[kind] * assumed.storeMs;
  const waits = { chat: assumed.chatSeconds, stream: assumed.streamSeconds, mcp: assumed.upstreamMs / 1_000 };
  return (ownMs + storeMs) / 1_000 + (kind in waits ? waits[kind as keyof typeof waits] : 0);
}

/** Prices and the cost of evidence, from which a call is billed. */
export interface Bill {
  readonly prices: Prices;
  /** Dollars for the copies, the checkpoints and the views of a million entries. */
  readonly entries: number;
}

/** @returns dollars of a million calls answered by functions */
export function onLambda(kind: Kind, bill: Bill): Parts {
  const { prices } = bill;
  const invocations = requests[kind] + (kind === 'review' ? stepsOfMachine : 0);
  const gbSeconds = lambdaSeconds(kind) * (memoryMb[kind] / 1_024);
  return {
    ...shared(kind, bill),
    api: requests[kind] * (prices.restRequests + assumed.traceShare * prices.traces),
    compute: invocations * prices.lambdaRequests + gbSeconds * prices.lambdaGbSecond * 1e6,
  };
}

/** Kinds of calls that the streaming plane answers. */
export type KindInContainers = 'chat' | 'stream' | 'action';

const taskHour = (prices: Prices): number => prices.fargateVcpuHour + 2 * prices.fargateGbHour;

/** @returns dollars of a million calls answered by tasks behind a load balancer, without `planeMonth` */
export function onTasks(kind: KindInContainers, bill: Bill): Parts {
  const { prices } = bill;
  const own = shared(kind, bill, assumed.logBytesInContainers);
  const callHours = (1e6 * lambdaSeconds(kind)) / 3_600;
  const processorHours = (1e3 * assumed.cpuMs[kind]) / 3_600;
  // A unit of the load balancer is 3,000 connections at a time, or 25 new ones a second: here each call has its own.
  const balancer = Math.max(callHours / 3_000, 1e6 / 25 / 3_600) * prices.loadBalancerUnitHour;
  const gigabytes = (assumed.upstreamBytes[kind] + assumed.logBytesInContainers) / 1e3;
  return {
    ...own,
    api: balancer + gigabytes * prices.natGb,
    compute: Math.max(callHours / assumed.callsOfTask, processorHours / assumed.busyShareOfTask) * taskHour(prices),
  };
}

const hoursOfMonth = 730;
/** @returns dollars a month of the streaming plane without calls: a load balancer, two NAT gateways and two tasks */
export const planeMonth = (prices: Prices): number =>
  hoursOfMonth * (prices.loadBalancerHour + 2 * prices.natHour + 2 * taskHour(prices));

/** Returns the cost that all kinds share: rows, copies of their entries, log lines. */
function shared(
  kind: Kind,
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
