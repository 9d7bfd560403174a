/** Where a request stands in a trace: W3C trace context, else X-Ray's header, whose ids are the same digits. */
import type { TraceHeaders } from './ports.ts';

export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits of the caller's span, where it names one. */
  readonly parentId: string | undefined;
  /** Whether the caller has decided that this trace is recorded. */
  readonly sampled: boolean | undefined;
  /** The trace id is known to be random. */
  readonly random: boolean;
  /** Members of other vendors, to be passed on. */
  readonly tracestate: string | undefined;
}

/** Our key in `tracestate`; its value is the span that calls. */
const ownKey = 'agg';

const maxMembers = 32;
/** What every participant has to pass on; a longer list is shortened. */
const maxListLength = 512;
const longMember = 128;

const sampledBit = 0x01;
const randomBit = 0x02;

/** Undefined where the headers name no trace, or none that can be trusted: a new one begins. */
export function traceContextOf({ traceparent, tracestate, xray }: TraceHeaders): TraceContext | undefined {
  return fromTraceparent(traceparent, tracestate) ?? fromXray(xray);
}

const fields = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Of a version above 00 only the first four fields are known. */
function fromTraceparent(header: string | undefined, tracestate: string | undefined): TraceContext | undefined {
  const [, version, traceId = '', parentId = '', flags = '', rest] = header?.match(fields) ?? [];
  if (version === undefined || version === 'ff' || isZero(traceId) || isZero(parentId)) return undefined;
  if (version === '00' && rest !== undefined) return undefined;
  const bits = Number.parseInt(flags, 16);
  return {
    traceId,
    parentId,
    sampled: (bits & sampledBit) !== 0,
    random: (bits & randomBit) !== 0,
    tracestate: othersOf(tracestate),
  };
}

const xrayRoot = /^1-([0-9a-f]{8})-([0-9a-f]{24})$/;
const spanId = /^[0-9a-f]{16}$/;

/**
 * `Root=1-8hex-24hex;Parent=16hex;Sampled=1`. `Sampled=0` is said by a function that X-Ray does not trace as well: it
 * decides nothing about our spans.
 */
function fromXray(header: string | undefined): TraceContext | undefined {
  const parts = new Map(header?.split(';').map((part) => part.trim().split('=', 2) as [string, string]));
  const [, seconds = '', unique = ''] = parts.get('Root')?.match(xrayRoot) ?? [];
  const traceId = seconds + unique;
  if (traceId === '' || isZero(traceId)) return undefined;
  const parent = parts.get('Parent') ?? '';
  return {
    traceId,
    parentId: spanId.test(parent) && !isZero(parent) ? parent : undefined,
    sampled: parts.get('Sampled') === '1' ? true : undefined,
    random: false,
    tracestate: undefined,
  };
}

/** A trace id of 32 hex digits as X-Ray writes it: `1-8hex-24hex`. */
export const xrayId = (traceId: string): string => `1-${traceId.slice(0, 8)}-${traceId.slice(8)}`;

/** The id, as X-Ray writes it, of the trace that X-Ray's header names. */
export function xrayRootOf(header: string | undefined): string | undefined {
  const traceId = fromXray(header)?.traceId;
  return traceId && xrayId(traceId);
}

const isZero = (hex: string): boolean => /^0+$/.test(hex);

/** `traceparent` of a call made within a span. Undefined bits are 0. */
export function traceparent(
  traceId: string,
  spanId: string,
  { sampled, random }: { readonly sampled: boolean; readonly random: boolean },
): string {
  return `00-${traceId}-${spanId}-0${traceFlags(sampled, random)}`;
}

export const traceFlags = (sampled: boolean, random: boolean): number =>
  (sampled ? sampledBit : 0) | (random ? randomBit : 0);

const key = '[a-z0-9][a-z0-9_\\-*/]{0,255}|[a-z0-9][a-z0-9_\\-*/]{0,240}@[a-z][a-z0-9_\\-*/]{0,13}';
const member = new RegExp(`^(?:${key})=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]$`);

/** Others' members; a list that is malformed or too long is dropped as a whole. */
function othersOf(header: string | undefined): string | undefined {
  const members = (header ?? '').split(',').flatMap((text) => text.trim() || []);
  if (members.length > maxMembers || !members.every((text) => member.test(text))) return undefined;
  return members.filter((text) => !text.startsWith(`${ownKey}=`)).join(',') || undefined;
}

/** The list with our member first, as who changes the parent has to. Room is made by long members, then by the oldest. */
export function tracestate(others: string, spanId: string): string {
  const kept = others.split(',').slice(0, maxMembers - 1);
  const tooLong = () => kept.join(',').length + own.length + 1 > maxListLength;
  const own = `${ownKey}=${spanId}`;
  while (kept.length > 0 && tooLong()) {
    const long = kept.findLastIndex((text) => text.length > longMember);
    kept.splice(long, 1); // -1 is the last
  }
  return [own, ...kept].join(',');
}

/** Fifty-two bits of a double hold thirteen digits exactly. */
const judgedDigits = 13;

/** The same answer for a trace wherever it is asked: its last digits decide. */
export function isSampled(traceId: string, rate: number): boolean {
  if (rate >= 1) return true;
  return Number.parseInt(traceId.slice(-judgedDigits), 16) < rate * 16 ** judgedDigits;
}
