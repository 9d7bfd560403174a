/** Execution faults. They name the tool, the upstream and a remedy, and contain no secrets. */

export type ExecutionFaultKind =
  /** Refused by the gateway's own checks; nothing was sent. */
  | 'refused'
  /** The upstream requires a credential, and the action has none. */
  | 'no_credential'
  | 'unreachable'
  | 'timeout'
  /** The connection ended before the response was complete. */
  | 'cut'
  | 'cancelled'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  /** The upstream does not accept the request. */
  | 'invalid'
  | 'too_large'
  | 'throttled'
  | 'unavailable'
  /** The response does not match the interface. */
  | 'malformed';

/**
 * Effect of a failed execution. `unknown`: data was sent but no response confirms the result, so the action may have
 * taken effect. It is recorded as `unknown` and never retried automatically.
 */
export type Effect = 'none' | 'unknown';

interface FaultOptions {
  /** @default `none` */
  readonly effect?: Effect;
  /** Remedy for the caller or operator, as a sentence. */
  readonly hint?: string;
  /** The upstream's status code. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/** Fault thrown by adapters and executors. Callers see it as an `UpstreamError`. */
export class ExecutionFault extends Error {
  override readonly name = 'ExecutionFault';
  readonly kind: ExecutionFaultKind;
  readonly effect: Effect;
  readonly hint: string | undefined;
  readonly status: number | undefined;

  /** @param message a clause without a final full stop, such as «it responded with 404». */
  constructor(kind: ExecutionFaultKind, message: string, { effect = 'none', hint, status, cause }: FaultOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.effect = effect;
    this.hint = hint;
    this.status = status;
  }
}

export const callRefused = (message: string, hint?: string): ExecutionFault =>
  new ExecutionFault('refused', message, hint === undefined ? {} : { hint });

export const needsCredential = (upstream: string): ExecutionFault =>
  new ExecutionFault(
    'no_credential',
    `${upstream} may be called only with a minted credential, and the action has none`,
  );

/** Rethrows a fault from a call without side effects, with the effect `none`, so that the call may be retried. */
export function harmless(thrown: unknown): never {
  if (!(thrown instanceof ExecutionFault) || thrown.effect === 'none') throw thrown;
  const { kind, message, hint, status, cause } = thrown;
  throw new ExecutionFault(kind, message, { ...(hint !== undefined && { hint }), status, cause });
}

/** Error from an upstream, or for a call that was not sent. The message names the tool, the upstream and a remedy. */
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

/** Returns the effect of a failed execution. Other errors have the effect `none`. */
export const effectOf = (thrown: unknown): Effect =>
  thrown instanceof UpstreamError || thrown instanceof ExecutionFault ? thrown.effect : 'none';

/** Default remedies for faults that have no hint of their own. */
export const hints: Readonly<Record<ExecutionFaultKind, string>> = {
  refused: 'Nothing was sent. Change the call, or have an operator change the configuration.',
  no_credential: 'Nothing was sent. Add a grant for this tool under credentials.grants.',
  unreachable: 'Nothing was sent. Check the address in the configuration, and that the upstream is up.',
  timeout: 'Try again later, ask for less, or have an operator raise the time limit.',
  cut: 'Try again.',
  cancelled: 'The caller ended it.',
  unauthorized: 'The credential is not accepted: check the broker of the matching grant.',
  forbidden: 'The credential does not cover this: check the scope of the matching grant.',
  not_found: 'Check the name; a resource that the credential cannot access often appears not to exist.',
  conflict: 'The state was changed by another request: read the current state and build on it.',
  invalid: 'Correct the parameters.',
  too_large: 'Ask for less.',
  throttled: 'Wait before the next call.',
  unavailable: 'Try again later.',
  malformed: 'Check that the configured address belongs to the intended upstream.',
};

export const unknownHint = 'It is not known whether the call took effect: check the upstream before repeating it.';

/**
 * Fault kinds, from executors and MCP connections, that indicate a problem with the upstream rather than with the call.
 */
const upstreamDown: ReadonlySet<unknown> = new Set([
  ...['unreachable', 'timeout', 'cut', 'unavailable', 'malformed'],
  ...['broken', 'garbage'],
]);

/**
 * Checks whether an execution failed because its upstream was unavailable or did not respond properly [admin.status].
 */
export const isUpstreamDown = (cause: unknown): boolean =>
  cause instanceof Error && (upstreamDown.has((cause as { kind?: unknown }).kind) || isUpstreamDown(cause.cause));
