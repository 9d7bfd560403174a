/** Results of a client program: the outcome of each case, as one JSON document. */
const results: Record<string, unknown> = {};

export const gateway = { url: `${process.env.GATEWAY_URL}/v1`, key: process.env.GATEWAY_KEY ?? '' };

/** Runs a case. If it throws, the error is its outcome. */
export async function outcome(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    results[name] = await work();
  } catch (thrown) {
    const { status, statusCode, message } = thrown as { status?: number; statusCode?: number; message?: string };
    results[name] = { error: { status: status ?? statusCode, message } };
  }
}

export const report = (): void => void process.stdout.write(JSON.stringify(results));
