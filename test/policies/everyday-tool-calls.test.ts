/** Harmless tool calls to real MCP servers: rules that close a gap must keep ordinary work allowed. */
import { corpusPacks, everydayCalls, everydayDecider } from '../support/everyday-tool-calls.ts';

const calls = everydayCalls();
const percent = (part: number): number => Math.round((1000 * part) / calls.length) / 10;
/** Maximum loss in percentage points. */
const maxLost = 3;

test('[pack.everyday] the corpus has at least 200 distinct calls', () => {
  expect(calls.length).toBeGreaterThanOrEqual(200);
  expect(new Set(calls.map(({ was: _, ...call }) => JSON.stringify(call))).size).toBe(calls.length);
});

test.each(corpusPacks)(
  '[pack.everyday] %s allows at most 3 percentage points fewer calls than when the corpus was recorded',
  async (pack) => {
    const decide = everydayDecider(pack);
    const lost: string[] = [];
    let before = 0;
    let now = 0;
    for (const call of calls) {
      const decision = await decide(call);
      if (call.was[pack] === 'allow') before++;
      if (decision === 'allow') now++;
      else if (call.was[pack] === 'allow') lost.push(`${call.server} ${call.tool}: ${decision}`);
    }
    const told = `${pack} allows ${percent(now)} % of ${calls.length} everyday calls; recorded were ${percent(before)} %.`;
    process.stdout.write(`${told}\n`);
    if (percent(now) < percent(before) - maxLost) throw new Error(`${told} No longer allowed:\n${lost.join('\n')}`);
  },
);
