/** What a million calls of each kind cost: units that were measured, times that are assumed, prices of a date. */
import { functions } from '#core/contracts/functions.ts';
import { entries, type Kind, measured } from './measured.ts';
import { prices } from './prices.ts';

/** US dollars by part of the bill. */
export type Parts = Readonly<Record<'api' | 'compute' | 'tables' | 'archive' | 'workflow' | 'logs', number>>;

/** Where a time comes from stands beside it. None was measured on AWS. */
const assumed = {
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
  /** Entries of a session that one object holds, entries that one batch of the stream holds. */
  entriesOfObject: 4,
  entriesOfBatch: 50,
  /** Units of the transparency log for a session in a batch: its row and a part of the head (docs/explanation/transparency-log.md). */
  logUnits: 1.4,
  /** Units of the counters that an entry raises, its row of a series included. */
  observationUnits: 1.5,
  /** Bytes of log a call: lines of the function, metrics, access log, Lambda's own. */
  logBytes: 2_400,
  traceShare: 0.05,
  /** Streams that a task of 1 vCPU and 2 GB holds on average over a day. */
  streamsOfTask: 125,
  transitions: 6,
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

/** @returns dollars of a million calls answered by functions */
export function onLambda(kind: Kind): Parts {
  const invocations = requests[kind] + (kind === 'review' ? stepsOfMachine : 0);
  const gbSeconds = lambdaSeconds(kind) * (memoryMb[kind] / 1_024);
  return {
    ...shared(kind),
    api: requests[kind] * (prices.restRequests + assumed.traceShare * prices.traces),
    compute: invocations * prices.lambdaRequests + gbSeconds * prices.lambdaGbSecond * 1e6,
  };
}

/** @returns dollars of a million streams answered by tasks behind a load balancer */
export function onTasks(kind: 'stream'): Parts {
  const taskHour = prices.fargateVcpuHour + 2 * prices.fargateGbHour;
  const streamHours = (1e6 * lambdaSeconds(kind)) / 3_600;
  // A unit of the load balancer is 3,000 connections at a time.
  const balancer = (streamHours / 3_000) * prices.loadBalancerUnitHour;
  return { ...shared(kind), api: balancer, compute: (streamHours / assumed.streamsOfTask) * taskHour };
}

/** What every computation costs: rows, their copies, the log. */
function shared(kind: Kind): Omit<Parts, 'api' | 'compute'> {
  const { read, write } = measured[kind];
  const observed = entries[kind] * assumed.observationUnits;
  const logged =
    (prices.signatures + prices.s3Puts) / assumed.entriesOfBatch +
    (assumed.logUnits * prices.writeUnits) / assumed.entriesOfObject;
  const archived =
    entries[kind] * (prices.s3Puts / assumed.entriesOfObject + prices.signatures / assumed.entriesOfBatch + logged);
  return {
    tables: read * prices.readUnits + (write + observed) * prices.writeUnits,
    archive: archived,
    // The vote is signed.
    workflow: kind === 'review' ? assumed.transitions * prices.transitions + prices.signatures : 0,
    logs: requests[kind] * (assumed.logBytes / 1e3) * prices.logGb,
  };
}

export const total = (parts: Parts): number => Object.values(parts).reduce((sum, part) => sum + part, 0);
