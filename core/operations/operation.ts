/**
 * Interface of an operation, which takes an authenticated, authorised call and returns a reply. Operations are defined
 * in `endpoints/`.
 */

import type { z } from 'zod';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Route } from '#core/contracts/route.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { describeIssue, issueWords, problemSentence, relevantIssues } from '#core/kernel/issue-words.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { notFound, type Thing } from '#core/kernel/not-found.ts';
import type { GatewayPorts } from './ports.ts';

export interface Call {
  readonly ports: GatewayPorts;
  readonly route: Route;
  readonly principal: Principal;
  readonly snapshot: Snapshot;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Values of query parameters that may be repeated on this route. */
  readonly repeated: Readonly<Record<string, readonly string[]>>;
  /** Aborts when the caller disconnects, if the host can detect that. */
  readonly signal?: AbortSignal | undefined;
  /** Time at which the host ends the function, in epoch milliseconds. Undefined if there is no such limit. */
  readonly endsAtMs?: number | undefined;
  /** Operations that the function can run, by id. Used by operations that run other operations. */
  readonly served: Readonly<Record<string, RoutedOperation>>;
  readonly header: (name: string) => string | undefined;
  /** The body parsed as a JSON object; `{}` if it is empty. */
  readonly body: () => JsonObject;
  /** The body as a string, for bodies that are not JSON. */
  readonly text: () => string;
}

/** An operation with its route. */
export interface RoutedOperation {
  readonly route: Route;
  readonly run: Operation;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** A JSON value, or text (possibly in chunks) if `contentType` is set. */
  readonly body: unknown;
  readonly contentType?: string;
}

export type Operation = (call: Call) => Promise<Reply>;

/** Unparsed request that is signed by its sender. */
interface SignedRequest {
  readonly header: (name: string) => string | undefined;
  /** Returns the exact body. @throws GatewayError `payload_too_large` */
  readonly bytes: () => Buffer;
  /** Parses the body as a JSON object. */
  readonly json: () => JsonObject;
}

/** Verifies a signed request and responds to it. If the reply has `finished`, work continues after the response. */
export type Callback = (
  ports: GatewayPorts,
  request: SignedRequest,
) => Promise<Reply & { readonly finished?: Promise<void> }>;

/**
 * Parses a value with a schema.
 * @throws GatewayError `invalid_request` listing every problem as `path: what`.
 */
export function parseBySchema<T>(schema: z.ZodType<T>, value: unknown): T {
  const outcome = schema.safeParse(value, { error: describeIssue });
  if (outcome.success) return outcome.data;
  // Two checks of the same value may have the same message.
  const problems = [
    ...new Set(
      relevantIssues(outcome.error.issues).map(
        (issue) => `${issue.path.join('.') || 'body'}: ${issueWords(issue, value)}`,
      ),
    ),
  ];
  throw invalidRequest(`The request is not valid: ${problemSentence(problems.slice(0, 10))}`, {
    problems: problems.slice(0, 10),
  });
}

/** Returns the page size given in the query: 1 to 200, with a default of 50. */
export function limitOf(query: Readonly<Record<string, string>>, most = 200, usual = 50): number {
  if (query.limit === undefined) return usual;
  const limit = Number(query.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > most)
    throw invalidRequest(`limit is ${JSON.stringify(query.limit)}; it must be a whole number from 1 to ${most}.`);
  return limit;
}

/**
 * Returns an optional query parameter that has an enumerated value.
 * @throws GatewayError `invalid_request` that lists the allowed words [error.unknown-query].
 */
export function wordOf<W extends string>(
  query: Readonly<Record<string, string>>,
  name: string,
  words: readonly W[],
): W | undefined {
  const text = query[name];
  const found = words.find((word) => word === text);
  if (text === undefined || found !== undefined) return found;
  throw invalidRequest(
    `${name} is ${JSON.stringify(text.slice(0, 64))}; it must be ${words.length === 1 ? '' : 'one of '}${words.join(', ')}.`,
  );
}

export const cursorOf = (query: Readonly<Record<string, string>>) =>
  query.cursor === undefined ? {} : { cursor: query.cursor };

/** Checks ownership: agent keys can only see their own objects, and get 404 for others. */
export function assertOwn({ route, principal }: Call, ownerKey: string | undefined, thing: Thing, name: string): void {
  if (principal.kind === 'agent' && route.agents === 'own' && ownerKey !== principal.key_id)
    throw notFound(thing, name);
}
