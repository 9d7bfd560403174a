/** Reads and writes a request's trace context, in W3C form or as the X-Ray header, whose ids have the same digits. */
import type { TraceHeaders } from './ports.ts';

export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** The caller's span as 16 hex digits, if there is one. */
  readonly parentId: string | undefined;
  /** The caller's sampling decision, if any. */
  readonly sampled: boolean | undefined;
  /** True if the trace id is known to be random. */
  readonly random: boolean;
  /** Other vendors' `tracestate` members, which are passed on. */
  readonly tracestate: string | undefined;
}

/** The gateway's key in `tracestate`. Its value is the calling span's id. */
const ownKey = 'agg';

const maxMembers = 32;
/** List length that every participant must be able to pass on. Longer lists are shortened to it. */
const maxListLength = 512;
const longMember = 128;

const sampledBit = 0x01;
const randomBit = 0x02;

/**
 * Parses the trace headers. Returns undefined if they are missing or malformed, in which case the gateway starts a new
 * trace.
 */
export function traceContextOf({ traceparent, tracestate, xray }: TraceHeaders): TraceContext | undefined {
  return fromTraceparent(traceparent, tracestate) ?? fromXray(xray);
}

const fields = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Parses `traceparent`. Versions above 00 may have more than the four known fields. */
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
 * Parses `Root=1-8hex-24hex;Parent=16hex;Sampled=1`. `Sampled=0` is ignored, because functions without X-Ray tracing
 * also send it.
 */
function fromXray(header: string | undefined): TraceContext | undefined {
  if (header === undefined) return undefined;
  const parts = new Map(header.split(';').map((part) => part.trim().split('=', 2) as [string, string]));
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

/** Formats a 32-digit hex trace id for X-Ray: `1-8hex-24hex`. */
export const xrayId = (traceId: string): string => `1-${traceId.slice(0, 8)}-${traceId.slice(8)}`;

/** Returns the trace id from an X-Ray header in X-Ray's format. */
export function xrayRootOf(header: string | undefined): string | undefined {
  const traceId = fromXray(header)?.traceId;
  return traceId && xrayId(traceId);
}

const isZero = (hex: string): boolean => /^0+$/.test(hex);

/** Formats the `traceparent` header for a call made within a span. Undefined flag bits are 0. */
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

/** Returns other vendors' members. Drops the whole list if it is malformed or too long. */
function othersOf(header: string | undefined): string | undefined {
  const members = (header ?? '').split(',').flatMap((text) => text.trim() || []);
  if (members.length > maxMembers || !members.every((text) => member.test(text))) return undefined;
  return members.filter((text) => !text.startsWith(`${ownKey}=`)).join(',') || undefined;
}

/**
 * Formats the list with the gateway's member first, as W3C requires. To make room, drops long members first, then the
 * oldest.
 */
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

/** Number of hex digits used for the decision. Thirteen digits are 52 bits, which a double represents exactly. */
const judgedDigits = 13;

/** Makes the sampling decision from the last digits of the trace id, so that all services sample the same traces. */
export function isSampled(traceId: string, rate: number): boolean {
  if (rate >= 1) return true;
  return Number.parseInt(traceId.slice(-judgedDigits), 16) < rate * 16 ** judgedDigits;
}
