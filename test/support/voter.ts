/** A reviewer who decides what waits by the words of its prompt: approves, denies with a comment, or leaves it alone. */
export const comment = 'not on a Sunday';
const betweenLooksMs = 100;

interface Reviewer {
  readonly adminUrl: string;
  /** Of a person, who does not own the calling key. */
  readonly key: string;
  /** Another tenant than that of the key. */
  readonly tenant?: string;
}

/** Votes until the work is over. */
export async function votingWhile<A>(reviewer: Reviewer, work: Promise<A>): Promise<A> {
  let over = false;
  const voting = (async () => {
    while (!over) {
      await voteOnce(reviewer);
      await new Promise((resolve) => setTimeout(resolve, betweenLooksMs));
    }
  })();
  try {
    return await work;
  } finally {
    over = true;
    await voting;
  }
}

async function voteOnce({ adminUrl, key, tenant }: Reviewer): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', ...(tenant && { 'x-tenant-id': tenant }) };
  const approvals = `${adminUrl}/admin/v1/approvals`;
  const listed = await fetch(`${approvals}?limit=100`, { headers });
  const { pending } = (await listed.json()) as { pending: { envelope_id: string; parameters: object }[] };
  for (const { envelope_id, parameters } of pending) {
    const prompt = JSON.stringify(parameters);
    const verb = ['approve', 'deny'].find((word) => prompt.includes(`${word} this`));
    const body = JSON.stringify({ reviewer: 'alice', comment });
    if (verb) await fetch(`${approvals}/${envelope_id}/${verb}`, { method: 'POST', headers, body });
  }
}
