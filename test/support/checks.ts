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

/** A check that has not ended by then waits for something that will not come, also on a busy machine: it fails, and the next one runs. */
const maxSeconds = 900;

export async function runChecks(checks: readonly Check[]): Promise<Result> {
  let failed = 0;
  for (const { says, prove } of checks) {
    const begun = performance.now();
    const failure = await inTime(prove()).then(
      () => undefined,
      (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
    );
    const took = `${Math.round(performance.now() - begun)} ms`;
    console.log(
      failure ? `✗ ${says} (${took})\n    ${failure.message.replaceAll('\n', '\n    ')}` : `✓ ${says} (${took})`,
    );
    if (failure) failed += 1;
  }
  return { passed: checks.length - failed, failed };
}

async function inTime(proof: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not ended after ${maxSeconds} s`)), maxSeconds * 1000);
  });
  await Promise.race([proof, late]).finally(() => clearTimeout(timer));
}
