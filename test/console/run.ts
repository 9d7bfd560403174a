/**
 * The console in a real Chromium, served by a real local gateway (`npm run test:console`). It uses the machine's
 * browser or the one in the variable CHROMIUM; without a browser the tier is skipped with a message. Words after `--`
 * select the checks whose title contains any of them.
 */
import { runChecks } from '../support/checks.ts';
import { accessibility } from './accessibility.ts';
import { approvals } from './approvals.ts';
import { browserProgram, visitors } from './browser.ts';
import { frame } from './frame.ts';
import { consoleGateway } from './gateway.ts';
import { hostile } from './hostile.ts';
import { levels } from './levels.ts';
import { manyEntries } from './many-entries.ts';
import { manyPending } from './many-pending.ts';
import { observe } from './observe.ts';
import { outages } from './outages.ts';
import { pages } from './pages.ts';
import { passkeys } from './passkeys.ts';
import { pictures } from './pictures/pictures.ts';
import { policies } from './policies.ts';
import { reading } from './reading.ts';
import { sessionEnd } from './session-end.ts';
import { signIn } from './sign-in.ts';
import { tampered } from './tampered.ts';
import { together } from './together.ts';
import { tools } from './tools.ts';
import { witnessed } from './witnessed.ts';

const program = browserProgram();
if (program === undefined) {
  console.log('SKIPPED: the tier of the console needs a Chromium, and this machine has none; name one in CHROMIUM.');
  console.log('0 passed, 0 failed');
  process.exit(0);
}

const gateway = await consoleGateway();
const people = await visitors(program, gateway.url);
try {
  const tiers = [
    signIn,
    frame,
    approvals,
    passkeys,
    tampered,
    hostile,
    pages,
    policies,
    observe,
    witnessed,
    tools,
    levels,
    together,
    accessibility,
    pictures,
    reading,
    sessionEnd,
    manyPending,
    manyEntries,
    outages,
  ];
  const checks = tiers.flatMap((tier) => tier(gateway, people, program));
  const words = process.argv.slice(2);
  const named = checks.filter(({ says }) => words.length === 0 || words.some((word) => says.includes(word)));
  if (named.length === 0) throw new Error(`No check has one of these words in its name: ${words.join(', ')}.`);
  const { passed, failed } = await runChecks(named);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await people.close();
  await gateway.end();
}
