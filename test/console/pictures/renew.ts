/**
 * Replaces the stored pictures (`npm run pictures`). With `--story` it first records the responses that the pages show.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { browserProgram, visitors } from '../browser.ts';
import { consoleGateway } from '../gateway.ts';
import { fontWidths, storeFontWidths } from './fonts.ts';
import { painter } from './image.ts';
import { recordStory } from './record.ts';
import { looks, pictureFile, takeShots } from './shots.ts';
import { storedStory } from './story.ts';

const program = browserProgram();
if (program === undefined) throw new Error('The pictures need a Chromium: name one in CHROMIUM.');
if (process.argv.includes('--story')) await recordStory(program);
const gateway = await consoleGateway();
const people = await visitors(program, gateway.url);
const paint = await painter(people.browser);
try {
  storeFontWidths(await fontWidths(paint));
  let bytes = 0;
  for (const look of looks) {
    const folder = pictureFile(look, '').href.replace('.webp', '');
    rmSync(new URL(folder), { recursive: true, force: true });
    mkdirSync(new URL(folder));
    await takeShots({ people, url: gateway.url, story: storedStory(), look }, async (name, png) => {
      const { webp } = await paint.picture(png);
      bytes += webp.length;
      writeFileSync(pictureFile(look, name), webp);
    });
    console.log(`${look.name}: ${readdirSync(new URL(folder)).length} pictures`);
  }
  console.log(`${Math.round(bytes / 1000)} kB in all`);
} finally {
  await paint.close();
  await people.close();
  await gateway.end();
}
