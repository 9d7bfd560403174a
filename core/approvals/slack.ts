/** Slack callbacks: signature over raw bytes first, parsing after. */
import { createHmac } from 'node:crypto';
import * as z from 'zod';
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
  /** The present signing secret and, during a rotation, the previous one. */
  readonly secrets: readonly string[];
  readonly nowSeconds: number;
}

/** @throws GatewayError `authentication_error` for a stale timestamp or a signature none of the secrets made. */
export function verifySlackRequest({ rawBody, timestamp, signature, secrets, nowSeconds }: SignedRequest): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw refused('X-Slack-Request-Timestamp is missing or no number of seconds');
  if (Math.abs(nowSeconds - Number(timestamp)) > windowSeconds)
    throw refused('the request is more than five minutes off');
  const fits = secrets.filter((secret) => sameText(signature, slackSignature(secret, timestamp, rawBody)));
  if (fits.length === 0) throw refused('X-Slack-Signature does not fit the body');
}

/** The v0 signature of a body: HMAC-SHA256 over `v0:timestamp:body`. */
export function slackSignature(secret: string, timestamp: string, rawBody: Uint8Array): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(rawBody).digest('hex')}`;
}

const refused = (why: string) =>
  new GatewayError('authentication_error', `The request is not signed by Slack: ${why}.`);

export interface SlackInteraction {
  /** The workspace of the account: in a shared channel another one than that of the app [slack.own-workspace]. */
  readonly team: string;
  readonly user: string;
  readonly action: 'approve' | 'deny';
  readonly envelope_id: string;
  /** Unique per click; Slack's repeats carry the same. */
  readonly callback_id: string;
  /** Where the outcome is posted; absent where the interaction names no address. */
  readonly response_url?: string;
}

const interactionSchema = z.object({
  type: z.literal('block_actions'),
  team: z.object({ id: z.string().min(1) }),
  user: z.object({ id: z.string().min(1), team_id: z.string().min(1).optional() }),
  trigger_id: z.string().min(1).optional(),
  response_url: z.url().optional(),
  actions: z
    .array(
      z.object({ action_id: z.enum(['approve', 'deny']), value: z.uuid(), action_ts: z.string().min(1).optional() }),
    )
    .length(1),
});

/**
 * A verified body (`payload=<JSON>`, form-encoded) as a click.
 * @param apiUrl the configured Slack API: answers go to its host or to hooks.slack.com, nowhere else.
 * @throws GatewayError `invalid_request` for anything that is not one click on one of our buttons.
 */
export function parseSlackInteraction(rawBody: Uint8Array, apiUrl: string): SlackInteraction {
  const payloads = new URLSearchParams(new TextDecoder().decode(rawBody)).getAll('payload');
  if (payloads.length !== 1)
    throw invalidRequest(
      `The body holds ${payloads.length} fields called payload; allowed is exactly one, as Slack sends it.`,
    );
  const [payload] = payloads as [string];
  const outcome = interactionSchema.safeParse(parseStrict(payload, { numbers: 'double' }), { error: describeIssue });
  if (!outcome.success) {
    const [{ path, message } = { path: [], message: '' }] = outcome.error.issues;
    throw invalidRequest(
      `Unsupported Slack action: expected an approve or deny button of this gateway. ${path.join('.') || 'payload'}: ${message}.`,
    );
  }
  const { team, user, trigger_id, response_url, actions } = outcome.data;
  const [action] = actions;
  if (!action || (response_url !== undefined && !mayAnswerAt(response_url, apiUrl)))
    throw invalidRequest('response_url is not an HTTPS address of Slack, so no answer is sent there.');
  const named = trigger_id !== undefined && action.action_ts !== undefined;
  return {
    team: user.team_id ?? team.id,
    user: user.id,
    action: action.action_id,
    envelope_id: action.value,
    // A repeat of a click that names neither is the same text again.
    callback_id: named ? `${trigger_id}#${action.action_ts}` : sha256(payload),
    ...(response_url !== undefined && { response_url }),
  };
}

/**
 * A forged address would make the gateway call it: only Slack's own, or that of the API we are configured to call. Plain
 * HTTP is for a Slack that runs on this machine, in tests and demonstrations.
 */
function mayAnswerAt(responseUrl: string, apiUrl: string): boolean {
  const url = new URL(responseUrl);
  const api = new URL(apiUrl);
  if (url.protocol === 'https:') return ['hooks.slack.com', api.host, `hooks.${api.host}`].includes(url.host);
  return url.protocol === 'http:' && url.host === api.host && loopback.test(api.hostname);
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
