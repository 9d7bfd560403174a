/** A fault inside an execution: an error name that Retry and Catch match, and its cause. */
export class StatesError extends Error {
  readonly error: string;

  constructor(error: string, cause: string) {
    super(cause);
    this.name = 'StatesError';
    this.error = error;
  }

  get output(): { Error: string; Cause: string } {
    return { Error: this.error, Cause: this.message };
  }
}

export const timedOut = () => new StatesError('States.Timeout', 'The state did not finish in time.');

/** Converts a function's exception to Lambda's format: error name = class name, cause = JSON. */
export function asStatesError(thrown: unknown): StatesError {
  if (thrown instanceof StatesError) return thrown;
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return new StatesError(name, JSON.stringify({ errorType: name, errorMessage: message }));
}

/**
 * Checks whether a retrier or catcher matches. `States.ALL` matches every fault except those that a retry cannot fix;
 * `States.TaskFailed` matches every fault except timeouts.
 */
export function matchesError(errorEquals: readonly string[], error: string): boolean {
  return errorEquals.some(
    (name) =>
      name === error ||
      (name === 'States.ALL' && error !== 'States.Runtime' && error !== 'States.DataLimitExceeded') ||
      (name === 'States.TaskFailed' && error !== 'States.Timeout' && !error.startsWith('States.Query')),
  );
}
