/** A list of checks, run in order; each states one guarantee and fails separately. */
export interface Check {
  readonly says: string;
  readonly prove: () => Promise<void>;
}

export const check = (says: string, prove: () => Promise<void>): Check => ({ says, prove });

export interface Result {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Time limit for a check, even on a busy machine. A check that exceeds it is probably waiting forever: it fails, and
 * the next one runs.
 */
const maxSeconds = 900;
/**
 * Maximum number of failed checks that are repeated. More failures than this have a common cause, which repeating them
 * does not remove. `.ci/run` uses the same number.
 */
const maxRepeated = 3;

/**
 * Runs the checks in order. A failed check is immediately run once more, before the checks that build on it; the output
 * names checks that passed only then. A check that timed out is not repeated, because its first run may still be
 * active.
 */
export async function runChecks(checks: readonly Check[]): Promise<Result> {
  let failed = 0;
  let repeated = 0;
  for (const each of checks) {
    let failure = await failureOf(each);
    if (failure !== undefined && !(failure instanceof NotEnded) && repeated < maxRepeated) {
      repeated += 1;
      failure = await failureOf(each, ' (second try)');
    }
    if (failure !== undefined) failed += 1;
  }
  return { passed: checks.length - failed, failed };
}

/** Runs a check once and prints its outcome. */
async function failureOf({ says, prove }: Check, note = ''): Promise<Error | undefined> {
  const begun = performance.now();
  const failure = await inTime(prove).then(
    () => undefined,
    (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
  );
  const shown = `${says} (${Math.round(performance.now() - begun)} ms)${note}`;
  console.log(failure ? `✗ ${shown}\n    ${failure.message.replaceAll('\n', '\n    ')}` : `✓ ${shown}`);
  return failure;
}

class NotEnded extends Error {}

async function inTime(prove: Check['prove']): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotEnded(`not ended after ${maxSeconds} s`)), maxSeconds * 1000);
  });
  await Promise.race([prove(), late]).finally(() => clearTimeout(timer));
}
