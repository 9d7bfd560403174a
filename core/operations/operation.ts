/** One admin operation: an authenticated, authorised call in; a reply out. The routes table names them. */

import type { z } from 'zod';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Route } from '#core/contracts/route.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { describeIssue, relevantIssues } from '#core/kernel/issue-words.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { notFound, type ThingKind } from '#core/kernel/not-found.ts';
import type { GatewayPorts } from './ports.ts';

export interface Call {
  readonly ports: GatewayPorts;
  readonly route: Route;
  readonly principal: Principal;
  readonly snapshot: Snapshot;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Values of query parameters that the route allows more than once. */
  readonly repeated: Readonly<Record<string, readonly string[]>>;
  /** Aborts when the caller goes away, where the host notices. */
  readonly signal?: AbortSignal | undefined;
  /** When the host ends the function (epoch milliseconds); undefined where nothing does. */
  readonly endsAtMs?: number | undefined;
  readonly header: (name: string) => string | undefined;
  /** The parsed JSON object of the body; `{}` for an empty one. */
  readonly body: () => JsonObject;
  /** The body as text, for bodies that are not JSON. */
  readonly text: () => string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** A JSON value, or text (in chunks) when `contentType` says so. */
  readonly body: unknown;
  readonly contentType?: string;
}

export type Operation = (call: Call) => Promise<Reply>;

/**
 * Parses a value by a schema.
 * @throws GatewayError `invalid_request` listing every problem as `path: what`.
 */
export function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const outcome = schema.safeParse(value, { error: describeIssue });
  if (outcome.success) return outcome.data;
  // Two checks of one value may say the same.
  const problems = [
    ...new Set(
      relevantIssues(outcome.error.issues).map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`),
    ),
  ];
  throw invalidRequest(`The request is not valid: ${problems.slice(0, 10).join('; ')}.`, {
    problems: problems.slice(0, 10),
  });
}

/** Page size from the query: 1 to 200, 50 by default. */
export function limitOf(query: Readonly<Record<string, string>>, most = 200, usual = 50): number {
  if (query.limit === undefined) return usual;
  const limit = Number(query.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > most) {
    throw invalidRequest(`limit is ${JSON.stringify(query.limit)}; it takes a whole number from 1 to ${most}.`);
  }
  return limit;
}

/**
 * A query parameter that takes one of a few words; undefined where it is not given.
 * @throws GatewayError `invalid_request` naming the words [admin.filter-words].
 */
export function wordOf<W extends string>(
  query: Readonly<Record<string, string>>,
  name: string,
  words: readonly W[],
): W | undefined {
  const text = query[name];
  const found = words.find((word) => word === text);
  if (text === undefined || found !== undefined) return found;
  throw invalidRequest(`${name} is ${JSON.stringify(text.slice(0, 64))}; it takes ${words.join(', ')}.`);
}

export const cursorOf = (query: Readonly<Record<string, string>>) =>
  query.cursor === undefined ? {} : { cursor: query.cursor };

/** Agent keys see only what is theirs; what is not looks as if it were not there. */
export function assertOwn(
  { route, principal }: Call,
  ownerKey: string | undefined,
  kind: ThingKind,
  name: string,
): void {
  if (principal.kind === 'agent' && route.agents === 'own' && ownerKey !== principal.key_id) throw notFound(kind, name);
}
