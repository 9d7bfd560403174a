/** Verifies and parses Slack callbacks: the signature over the raw bytes is checked before parsing. */

import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { isLoopbackHost } from '#core/catalog/networks.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { describeIssue } from '#core/kernel/issue-words.ts';
import { parseStrict } from '#core/kernel/json.ts';
import { sameText } from '#core/kernel/same-text.ts';

const windowSeconds = 5 * 60;

interface SignedRequest {
  readonly rawBody: Uint8Array;
  readonly timestamp: string;
  readonly signature: string;
  /** The current signing secret and, during a rotation, the previous one. */
  readonly secrets: readonly string[];
  readonly nowSeconds: number;
}

/**
 * Verifies a request. @throws GatewayError `authentication_error` for a stale timestamp or if no secret matches the
 * signature.
 */
export function verifySlackRequest({ rawBody, timestamp, signature, secrets, nowSeconds }: SignedRequest): void {
  if (!/^\d{1,12}$/.test(timestamp))
    throw notSignedBySlack('X-Slack-Request-Timestamp is missing or not a number of seconds');
  if (Math.abs(nowSeconds - Number(timestamp)) > windowSeconds)
    throw notSignedBySlack('the timestamp of the request is more than five minutes off');
  const fits = secrets.filter((secret) => sameText(signature, slackSignature(secret, timestamp, rawBody)));
  if (fits.length === 0) throw notSignedBySlack('X-Slack-Signature does not match the body');
}

/** Returns the v0 signature of a body: HMAC-SHA256 over `v0:timestamp:body`. */
export function slackSignature(secret: string, timestamp: string, rawBody: Uint8Array): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(rawBody).digest('hex')}`;
}

const notSignedBySlack = (why: string) =>
  new GatewayError('authentication_error', `The request is not signed by Slack: ${why}.`);

interface SlackVoter {
  /** The account's workspace; in a shared channel it may differ from the app's [slack.confirmed]. */
  readonly team: string;
  readonly user: string;
  readonly verdict: 'approve' | 'deny';
  readonly envelope_id: string;
  /** Unique per interaction; Slack's retries have the same id. */
  readonly callback_id: string;
  /** URL to which the outcome is posted; absent if the interaction has none. */
  readonly response_url?: string;
}

/**
 * A click on a button in the message. It does not cast a vote: it opens a dialog with the trigger [slack.confirmed].
 */
export interface SlackClick extends SlackVoter {
  readonly step: 'click';
  readonly trigger_id?: string;
}

/** A submitted dialog, or a click on a button that Slack asked the person to confirm. */
export interface SlackConfirmation extends SlackVoter {
  readonly step: 'confirmation';
  readonly comment: string;
}

export type SlackInteraction = SlackClick | SlackConfirmation;

/** Ids of the dialog and its comment field. */
export const voteDialog = { callbackId: 'vote', block: 'comment', action: 'comment', maxComment: 3000 } as const;

const voter = {
  team: z.object({ id: z.string().min(1) }),
  user: z.object({ id: z.string().min(1), team_id: z.string().min(1).optional() }),
  trigger_id: z.string().min(1).optional(),
};

const clickSchema = z.object({
  ...voter,
  type: z.literal('block_actions'),
  response_url: z.url().optional(),
  actions: z
    .array(
      z.object({
        action_id: z.enum(['approve', 'deny', 'confirmed_approve', 'confirmed_deny']),
        value: z.uuid(),
        action_ts: z.string().min(1).optional(),
      }),
    )
    .length(1),
});

const submissionSchema = z.object({
  ...voter,
  type: z.literal('view_submission'),
  view: z.object({
    id: z.string().min(1),
    callback_id: z.literal(voteDialog.callbackId),
    private_metadata: z.string(),
    state: z.object({
      values: z.object({
        [voteDialog.block]: z.object({
          [voteDialog.action]: z.object({ value: z.string().max(voteDialog.maxComment).nullish() }),
        }),
      }),
    }),
  }),
});

const interactionSchema = z.discriminatedUnion('type', [clickSchema, submissionSchema]);

/** Data that the dialog carries from the click to its submission. */
const carriedSchema = z.strictObject({
  envelope_id: z.uuid(),
  verdict: z.enum(['approve', 'deny']),
  response_url: z.url().optional(),
});

export const carriedOf = ({ envelope_id, verdict, response_url }: SlackClick): string =>
  JSON.stringify({ envelope_id, verdict, response_url } satisfies z.input<typeof carriedSchema>);

/**
 * Parses a verified body (`payload=<JSON>`, form-encoded) as a click or a submitted dialog.
 * @param apiUrl the configured Slack API: replies go only to its host or to hooks.slack.com.
 * @throws GatewayError `invalid_request` unless it is one click on a button of this gateway, or its dialog.
 */
export function parseSlackInteraction(rawBody: Uint8Array, apiUrl: string): SlackInteraction {
  const payloads = new URLSearchParams(new TextDecoder().decode(rawBody)).getAll('payload');
  if (payloads.length !== 1)
    throw invalidRequest(
      `The body contains ${payloads.length} fields called payload; allowed is exactly one, as Slack sends it.`,
    );
  const [payload] = payloads as [string];
  const sent = parseCallback(interactionSchema, parseStrict(payload, { numbers: 'double' }), 'payload');
  const account = { team: sent.user.team_id ?? sent.team.id, user: sent.user.id };
  if (sent.type === 'view_submission') {
    const { view } = sent;
    const carried = parseCallback(carriedSchema, parseStrict(view.private_metadata), 'private_metadata');
    return {
      step: 'confirmation',
      ...account,
      verdict: carried.verdict,
      envelope_id: carried.envelope_id,
      callback_id: `view#${view.id}`,
      comment: view.state.values[voteDialog.block][voteDialog.action].value?.trim() ?? '',
      ...answerAt(carried.response_url, apiUrl),
    };
  }
  const { trigger_id, response_url, actions } = sent;
  const { action_id, value: envelope_id, action_ts } = actions[0]!;
  // Without these two values, a retry is recognised by its identical text.
  const isNamed = trigger_id !== undefined && action_ts !== undefined;
  const vote = {
    ...account,
    verdict: action_id.endsWith('approve') ? 'approve' : 'deny',
    envelope_id,
    callback_id: isNamed ? `${trigger_id}#${action_ts}` : sha256(payload),
    ...answerAt(response_url, apiUrl),
  } as const;
  if (action_id.startsWith('confirmed_')) return { step: 'confirmation', ...vote, comment: '' };
  return { step: 'click', ...vote, ...(trigger_id !== undefined && { trigger_id }) };
}

function parseCallback<T extends z.ZodType>(schema: T, value: unknown, place: string): z.output<T> {
  const outcome = schema.safeParse(value, { error: describeIssue });
  if (outcome.success) return outcome.data;
  const [{ path, message } = { path: [], message: '' }] = outcome.error.issues;
  throw invalidRequest(
    `Unsupported Slack action: expected an approve or deny button of this gateway, or its dialog. ${path.join('.') || place}: ${message}.`,
  );
}

function answerAt(responseUrl: string | undefined, apiUrl: string): { readonly response_url?: string } {
  if (responseUrl === undefined) return {};
  if (!mayAnswerAt(responseUrl, apiUrl))
    throw invalidRequest('response_url is not an HTTPS address of Slack, so no answer is sent there.');
  return { response_url: responseUrl };
}

/**
 * Checks that the URL belongs to Slack or the configured API, so that the gateway never calls a forged URL. Plain HTTP
 * is allowed only for a Slack server on this machine, in tests and demonstrations.
 */
function mayAnswerAt(responseUrl: string, apiUrl: string): boolean {
  const url = new URL(responseUrl);
  const api = new URL(apiUrl);
  if (url.protocol === 'https:') return ['hooks.slack.com', api.host, `hooks.${api.host}`].includes(url.host);
  return url.protocol === 'http:' && url.host === api.host && isLoopbackHost(api.hostname);
}
