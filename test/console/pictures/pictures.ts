/**
 * Compares every page with its stored pictures: light, dark and on a phone. `npm run pictures` updates the pictures.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from '../../support/checks.ts';
import type { Visitors } from '../browser.ts';
import type { ConsoleGateway } from '../gateway.ts';
import { changedBlocks, isAlike } from './compare.ts';
import { fontWidths, storedFontWidths } from './fonts.ts';
import { painter } from './image.ts';
import { type Look, looks, pictureFile, takeShots } from './shots.ts';
import { storedStory } from './story.ts';

export const pictures = (gateway: ConsoleGateway, people: Visitors) =>
  looks.map((look) =>
    check(`[console.pictures] every page looks like its stored picture (${look.name})`, () =>
      compareAll(gateway.url, people, look),
    ),
  );

async function compareAll(url: string, people: Visitors, look: Look): Promise<void> {
  const paint = await painter(people.browser);
  try {
    const widths = await fontWidths(paint);
    if (widths !== storedFontWidths())
      return console.log(`  SKIPPED: this machine has other fonts than those of the stored pictures (${widths}).`);
    const folder = mkdtempSync(join(tmpdir(), `console-pictures-${look.name}-`));
    const failures: string[] = [];
    await takeShots({ people, url, story: storedStory(), look }, async (name, png) => {
      const taken = await paint.picture(png);
      const file = pictureFile(look, name);
      const stored = existsSync(file) ? readFileSync(file) : undefined;
      const changed = stored ? changedBlocks(await paint.blocksOf(stored), taken.blocks) : undefined;
      if (changed && isAlike(changed)) return;
      writeFileSync(join(folder, `${name}.png`), png);
      if (changed)
        writeFileSync(
          join(folder, `${name}-difference.png`),
          await paint.marked(taken.webp, changed, taken.blocks.columns),
        );
      failures.push(changed ? `${name}: ${changed.length} blocks differ` : `${name}: no picture is stored`);
    });
    if (failures.length === 0) return rmSync(folder, { recursive: true });
    const advice = `Pictures are in ${folder}. If they are right, store them with npm run pictures.`;
    throw new Error(`${failures.join('\n')}\n${advice}`);
  } finally {
    await paint.close();
  }
}
