/** Precision and recall of the shipped plugins on their generated corpora and on held-out rows. */
import { type Measured, measured } from './plugins/measure.ts';
import { pluginNamed } from './plugins/module.ts';
import { plugins } from './plugins/plugins.ts';

describe.each(plugins)('[plugin.figures] $name', ({ name, rows, least }) => {
  let figures: Measured;
  beforeAll(async () => {
    figures = measured(rows(), await pluginNamed(name));
  });

  test('the corpus is the same on every run, and at least a third of its templates is held out', () => {
    expect(rows()).toEqual(rows());
    expect(rows().filter(({ heldOut }) => heldOut).length / rows().length).toBeGreaterThan(0.32);
  });

  test.each(['written', 'heldOut'] as const)('%s', (half) => {
    const { recall, precision, missed, falseAlarms } = figures[half];
    const shown = [...missed, ...falseAlarms].slice(0, 10).map(({ kind, text }) => `${kind}: ${text.slice(0, 200)}`);
    if (recall < least.recall || precision < least.precision)
      throw new Error(`recall ${recall}, precision ${precision}\n${shown.join('\n')}`);
    expect(figures[half].wanted).toBeGreaterThan(100);
    expect(figures[half].harmless).toBeGreaterThan(100);
  });
});
