/** How an execution fails: named after tool and upstream, with what to do, and never with a secret. */

export type ExecutionFaultKind =
  /** Our own checks: nothing was sent. */
  | 'refused'
  /** The upstream wants a credential and the action has none. */
  | 'no_credential'
  | 'unreachable'
  | 'timeout'
  /** The connection ended before the answer did. */
  | 'cut'
  | 'cancelled'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  /** The upstream does not accept what was asked. */
  | 'invalid'
  | 'too_large'
  | 'throttled'
  | 'unavailable'
  /** The answer is not what the interface promises. */
  | 'malformed';

/**
 * What a failed execution has done. `unknown`: bytes left, and no answer says what became of them, so the action may have taken place.
 * It is recorded as `unknown`, and never tried again by itself.
 */
export type Effect = 'none' | 'unknown';

interface FaultOptions {
  /** @default `none` */
  readonly effect?: Effect;
  /** What the caller or operator can do about it, as a sentence. */
  readonly hint?: string;
  /** The upstream's own status. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/** What adapters and executors throw; the caller sees it as `UpstreamError`. */
export class ExecutionFault extends Error {
  override readonly name = 'ExecutionFault';
  readonly kind: ExecutionFaultKind;
  readonly effect: Effect;
  readonly hint: string | undefined;
  readonly status: number | undefined;

  /** @param message a clause without full stop: «it answered 404». */
  constructor(kind: ExecutionFaultKind, message: string, { effect = 'none', hint, status, cause }: FaultOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.effect = effect;
    this.hint = hint;
    this.status = status;
  }
}

export const refused = (message: string, hint?: string): ExecutionFault =>
  new ExecutionFault('refused', message, hint === undefined ? {} : { hint });

export const needsCredential = (upstream: string): ExecutionFault =>
  new ExecutionFault('no_credential', `${upstream} is called with a minted credential only, and the action has none`);

/** The call changes nothing, so its outcome is certain: it failed, and may be tried again. */
export function harmless(thrown: unknown): never {
  if (!(thrown instanceof ExecutionFault) || thrown.effect === 'none') throw thrown;
  const { kind, message, hint, status, cause } = thrown;
  throw new ExecutionFault(kind, message, { ...(hint !== undefined && { hint }), status, cause });
}

/** The upstream failed, or was not asked: the message names tool and upstream, and says what can be done. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly tool: string;
  readonly upstream: string;
  readonly kind: ExecutionFaultKind;
  readonly effect: Effect;
  readonly status: number | undefined;
  readonly hint: string;

  constructor(
    message: string,
    {
      tool,
      upstream,
      kind,
      effect,
      status,
      hint,
      cause,
    }: Pick<UpstreamError, 'tool' | 'upstream' | 'kind' | 'effect' | 'hint'> & Pick<FaultOptions, 'status' | 'cause'>,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.tool = tool;
    this.upstream = upstream;
    this.kind = kind;
    this.effect = effect;
    this.status = status;
    this.hint = hint;
  }
}

/** What a failed execution has done, whatever it was thrown by. */
export const effectOf = (thrown: unknown): Effect =>
  thrown instanceof UpstreamError || thrown instanceof ExecutionFault ? thrown.effect : 'none';

/** What can be done, where the fault itself does not say it better. */
export const hints: Readonly<Record<ExecutionFaultKind, string>> = {
  refused: 'Nothing was sent. Change the call, or have an operator change the configuration.',
  no_credential: 'Nothing was sent. Add a grant for this tool under credentials.grants.',
  unreachable: 'Nothing was sent. Check the address in the configuration, and that the upstream is up.',
  timeout: 'Try again later, ask for less, or have an operator raise the time limit.',
  cut: 'Try again.',
  cancelled: 'The caller ended it.',
  unauthorized: 'The credential is not accepted: check the broker of the matching grant.',
  forbidden: 'The credential does not cover this: check the scope of the matching grant.',
  not_found: 'Check the name; what a credential does not open often looks as if it did not exist.',
  conflict: 'The state was changed by another request: read the current state and build on it.',
  invalid: 'Correct the parameters.',
  too_large: 'Ask for less.',
  throttled: 'Wait before the next call.',
  unavailable: 'Try again later.',
  malformed: 'Check that the configured address belongs to the upstream that is meant.',
};

export const unknownHint = 'Whether it took place is not known: look at the upstream before asking again.';

/** Kinds of faults after which the upstream itself is in doubt, not the call: those of executors and of connections to MCP servers. */
const upstreamDown: ReadonlySet<unknown> = new Set([
  ...['unreachable', 'timeout', 'cut', 'unavailable', 'malformed'],
  ...['broken', 'garbage'],
]);

/** Whether an execution failed because its upstream did not answer as it should [admin.health-upstreams]. */
export const isUpstreamDown = (cause: unknown): boolean =>
  cause instanceof Error && (upstreamDown.has((cause as { kind?: unknown }).kind) || isUpstreamDown(cause.cause));
