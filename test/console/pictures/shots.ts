/** Takes the pictures of every page, with responses from the stored story. */
import type { Page } from 'playwright-core';
import type { Visitors } from '../browser.ts';
import { openPlace, places } from './places.ts';
import { answerFrom, type Story } from './story.ts';

export const looks = [
  { name: 'light-1440', colorScheme: 'light', width: 1440 },
  { name: 'dark-1440', colorScheme: 'dark', width: 1440 },
  { name: 'light-390', colorScheme: 'light', width: 390 },
] as const;
export type Look = (typeof looks)[number];

export const pictureFile = ({ name: look }: Look, name: string): URL =>
  new URL(`${look}/${name}.webp`, import.meta.url);

const options = { timezoneId: 'UTC', locale: 'en-US', reducedMotion: 'reduce' } as const;
/** Height of the window. Content below it is not in the picture. */
const height = 1400;

/** @param take called with the name and the screenshot of each page. */
export async function takeShots(
  { people, url, story, look }: { people: Visitors; url: string; story: Story; look: Look },
  take: (name: string, png: Buffer) => Promise<void>,
): Promise<void> {
  const page = await people.open('', {
    ...options,
    colorScheme: look.colorScheme,
    viewport: { width: look.width, height },
  });
  await page.clock.setFixedTime(story.now);
  const missing = await answerFrom(story, page);
  await take('sign-in', await stillShot(page));
  await page.getByLabel('API key or admin token').fill('story-alice');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#main').waitFor();
  for (const place of places(story.requests)) {
    await openPlace(page, url, place);
    await take(place.name, await stillShot(page));
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
  if (missing.length > 0)
    throw new Error(`the story has no answer to ${missing.join(', ')}: renew it with npm run pictures -- --story`);
}

/** Returns the first screenshot that equals the previous one, which means that fonts and plots are loaded. */
async function stillShot(page: Page): Promise<Buffer> {
  // The port of the console differs at each start.
  const mask = [page.getByText(/localhost:\d+/)];
  const shot = () => page.screenshot({ animations: 'disabled', caret: 'hide', mask });
  let last = await shot();
  for (let tries = 0; tries < 40; tries++) {
    await page.waitForTimeout(100);
    const next = await shot();
    if (next.equals(last)) return next;
    last = next;
  }
  throw new Error(`${page.url()} does not come to rest`);
}
