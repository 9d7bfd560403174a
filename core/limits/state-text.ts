/** A tenant's counters as compact text. It is compact because every write is billed by the size of the whole item. */
import type { ChatOperation } from '#core/contracts/chat.ts';
import type { CounterState } from './counter-state.ts';
import type { ReservedCall } from './ports.ts';
import type { Bucket } from './window.ts';

type ReservationRow = readonly [
  ...[string, string, number, number, number, number, readonly number[], 0 | 1, number],
  call?: CallRow,
];

/**
 * Key, agent, operation, model, resolved model, stream, WebSocket, input tokens, policy version, request id, and 1 for a
 * key that owns its sessions.
 */
type CallRow = readonly [string, string, ChatOperation, string, string, 0 | 1, 0 | 1, number, number, string, 1?];

/**
 * Compact form. Members have one-letter names and rows are arrays, so that a busy minute takes 1 kB instead of 4 kB.
 */
interface Compact {
  /** Second of the first bucket, followed by the seconds since then, requests and tokens of each bucket. */
  readonly w: readonly number[];
  readonly s: Readonly<Record<string, number>>;
  readonly g: Readonly<Record<string, [number, number, number]>>;
  /** Account keys of open reservations, which refer to them by index. */
  readonly a: readonly string[];
  readonly o: readonly ReservationRow[];
  /** Depth, and 1 for a shard that was merged into its parent. Both are absent if 0. */
  readonly d?: number;
  readonly x?: 1;
}

export function stateText({ window, spend, slices, open, depth, gone }: CounterState): string {
  const accounts = [...new Set(open.flatMap((one) => one.accounts))];
  const place = new Map(accounts.map((key, i) => [key, i]));
  const compact: Compact = {
    w: bucketNumbers(window),
    s: spend,
    g: Object.fromEntries(
      Object.entries(slices).map(([key, slice]) => [
        key,
        [slice.granted_microusd, slice.total_microusd, slice.used_at],
      ]),
    ),
    a: accounts,
    o: open.map(
      (one): ReservationRow => [
        one.id,
        one.session_id,
        one.from_index,
        one.second,
        one.tokens,
        one.cost_microusd,
        one.accounts.map((key) => place.get(key)!),
        one.begun ? 1 : 0,
        one.lease_ends_ms,
        ...(one.call ? ([callRow(one.call)] satisfies [CallRow]) : ([] satisfies [])),
      ],
    ),
    ...(depth > 0 && { d: depth }),
    ...(gone && { x: 1 as const }),
  };
  return JSON.stringify(compact);
}

function bucketNumbers(window: readonly Bucket[]): readonly number[] {
  const first = window[0]?.second ?? 0;
  const numbers = [first];
  for (const { second, requests, tokens } of window) numbers.push(second - first, requests, tokens);
  return numbers;
}

/**
 * Parses text written by `stateText`.
 * @throws if the text has a different format.
 */
export function stateOf(text: string): CounterState {
  const { w, s, g, a, o, d = 0, x } = JSON.parse(text) as Compact;
  const [first = 0, ...rows] = w;
  const window = [];
  for (let i = 0; i < rows.length; i += 3)
    window.push({ second: first + rows[i]!, requests: rows[i + 1]!, tokens: rows[i + 2]! });
  return {
    window,
    spend: s,
    slices: Object.fromEntries(
      Object.entries(g).map(([key, [granted_microusd, total_microusd, used_at]]) => [
        key,
        { granted_microusd, total_microusd, used_at },
      ]),
    ),
    open: o.map(([id, session_id, from_index, second, tokens, cost_microusd, places, begun, lease_ends_ms, call]) => ({
      id,
      session_id,
      from_index,
      second,
      tokens,
      cost_microusd,
      accounts: places.map((i) => a[i]!),
      begun: begun === 1,
      lease_ends_ms,
      ...(call && { call: parseCallRow(call) }),
    })),
    depth: d,
    gone: x === 1,
  };
}

const callRow = (call: ReservedCall): CallRow => [
  ...([call.key_id, call.agent, call.operation, call.model, call.resolved_model] as const),
  ...([call.stream ? 1 : 0, call.transport === 'ws' ? 1 : 0] as const),
  ...([call.input_tokens, call.policy_version, call.request_id] as const),
  ...(call.owns_session ? ([1] satisfies [1]) : ([] satisfies [])),
];

const parseCallRow = ([
  ...[key_id, agent, operation, model, resolved_model, stream, ws, input_tokens, policy_version, request_id, owns]
]: CallRow): ReservedCall => ({
  key_id,
  agent,
  operation,
  model,
  resolved_model,
  stream: stream === 1,
  transport: ws === 1 ? 'ws' : 'http',
  input_tokens,
  policy_version,
  request_id,
  ...(owns === 1 && { owns_session: true }),
});
