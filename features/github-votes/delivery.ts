/** Verifies and parses GitHub callbacks: the signature over the raw bytes is checked before parsing. */
import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { repositoryPattern } from '#core/contracts/repository.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { sameText } from '#core/kernel/same-text.ts';

interface SignedDelivery {
  readonly rawBody: Uint8Array;
  /** `X-Hub-Signature-256` */
  readonly signature: string;
  /** The current webhook secret and, during a rotation, the previous one. */
  readonly secrets: readonly string[];
}

/** Verifies a delivery. @throws GatewayError `authentication_error` if no secret matches the signature. */
export function verifyGithubDelivery({ rawBody, signature, secrets }: SignedDelivery): void {
  const fits = secrets.filter((secret) => sameText(signature, githubSignature(secret, rawBody)));
  if (fits.length > 0) return;
  throw new GatewayError(
    'authentication_error',
    'The delivery is not signed by the Git host: X-Hub-Signature-256 does not match the body. The secret of its webhook must be that of this gateway.',
  );
}

/** Returns `sha256=` and the HMAC-SHA256 of the body in hex. */
export const githubSignature = (secret: string, rawBody: Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`;

/** A comment that a person has just written on a pull request. */
export interface WrittenComment {
  readonly id: string;
  readonly repository: string;
  /** Number of the pull request. */
  readonly number: number;
  readonly login: string;
  readonly text: string;
}

interface IgnoredDelivery {
  readonly ignored: string;
}

const account = z.object({ login: z.string().min(1), type: z.string() });
const eventSchema = z.object({ action: z.string(), issue: z.object({ pull_request: z.unknown().optional() }) });
const commentSchema = z.object({
  issue: z.object({ number: z.int().positive() }),
  comment: z.object({
    id: z.int().positive(),
    body: z.string(),
    user: account,
    /** Set if an app wrote the comment on behalf of a person. */
    performed_via_github_app: z.object({}).nullish(),
  }),
  repository: z.object({ full_name: z.string().regex(repositoryPattern) }),
  sender: account,
});

/**
 * Parses a verified delivery as a comment. Only new comments count, because another person may have edited an older
 * one.
 * @param event value of `X-GitHub-Event`
 * @throws GatewayError `invalid_request` for a comment without the fields that a vote needs.
 */
export function parseGithubDelivery(event: string, body: unknown): WrittenComment | IgnoredDelivery {
  if (event !== 'issue_comment') return { ignored: 'only issue_comment is accepted' };
  const { action, issue } = parseEvent(eventSchema, body);
  if (action !== 'created') return { ignored: 'only new comments are accepted' };
  if (!issue.pull_request) return { ignored: 'only comments on pull requests are accepted' };
  const { issue: subject, comment, repository, sender } = parseEvent(commentSchema, body);
  const why = notByPerson(comment, sender);
  if (why !== undefined) return { ignored: why };
  const { number } = subject;
  return {
    id: String(comment.id),
    repository: repository.full_name,
    number,
    login: comment.user.login,
    text: comment.body,
  };
}

function notByPerson(
  { user, performed_via_github_app }: z.infer<typeof commentSchema>['comment'],
  sender: z.infer<typeof account>,
): string | undefined {
  if (user.type !== 'User' || sender.type !== 'User' || user.login.endsWith('[bot]'))
    return 'only comments by people are accepted';
  if (performed_via_github_app) return 'an app wrote this on behalf of a person';
  return user.login === sender.login ? undefined : 'the sender did not write the comment';
}

function parseEvent<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const outcome = schema.safeParse(body);
  if (outcome.success) return outcome.data;
  const [issue] = outcome.error.issues;
  throw invalidRequest(
    `The delivery is not a comment event: ${issue?.path.join('.')} is missing or has the wrong type.`,
  );
}
