/** A list of checks, run in order: each says in one sentence what holds, and fails alone. */
export interface Check {
  readonly says: string;
  readonly prove: () => Promise<void>;
}

export const check = (says: string, prove: () => Promise<void>): Check => ({ says, prove });

export interface Result {
  readonly passed: number;
  readonly failed: number;
}

export async function runChecks(checks: readonly Check[]): Promise<Result> {
  let failed = 0;
  for (const { says, prove } of checks) {
    const begun = performance.now();
    const failure = await prove().then(
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
