/**
 * Stored responses for the pictures. `record.ts` records them from a real gateway, so that ids, times and hashes are
 * the same in each comparison.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

export interface Story {
  /** Current time as seen by the pages. */
  readonly now: string;
  /** Response bodies by method and path. A response that is not JSON is stored as a string. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The requests that the pictured pages open, by name. */
  readonly requests: Readonly<Record<string, string>>;
}

const file = new URL('story.json', import.meta.url);

export const storedStory = (): Story => JSON.parse(readFileSync(file, 'utf8')) as Story;
export const storeStory = (story: Story): void => writeFileSync(file, `${JSON.stringify(story, null, 1)}\n`);

export const nameOf = (method: string, address: string): string => {
  const { pathname, search } = new URL(address);
  return `${method} ${pathname.replace('/admin/v1/', '')}${search}`;
};

/** Answers every request of the page from the story. @returns the requests that are missing from the story. */
export async function answerFrom(story: Story, page: Page): Promise<readonly string[]> {
  const missing: string[] = [];
  await page.route('**/admin/v1/**', async (route) => {
    const request = route.request();
    const name = nameOf(request.method(), request.url());
    // Without an event stream the pages poll.
    if (name.includes('approvals/events')) return route.fulfill({ status: 405, json: {} });
    const answer = story.answers[name];
    if (answer !== undefined)
      return route.fulfill(
        typeof answer === 'string' ? { contentType: 'application/json', body: answer } : { json: answer },
      );
    if (!missing.includes(name)) missing.push(name);
    return route.fulfill({ status: 404, json: { error: { type: 'not_found', message: `The story has no ${name}.` } } });
  });
  return missing;
}
