/** Rules for words near each other that address a model. Each rule is checked at a word of its last class. */
import type { Cue, Near, Rule } from './rule.ts';
import { rulesOfActs } from './rules-of-acts.ts';
import { rulesOfAims } from './rules-of-aims.ts';
import type { WordClass } from './words.ts';

const weak = (cue: Cue, on: readonly WordClass[], holds: Rule['holds']): Rule => ({ on, cue, strong: false, holds });
const strong = (cue: Cue, on: readonly WordClass[], holds: Rule['holds']): Rule => ({ on, cue, strong: true, holds });

const addressed = (near: Near, words: number) => near('model', words) || (near('agent', words) && near('dear', words));

export const rules: readonly Rule[] = [
  ...rulesOfAims,
  ...rulesOfActs,
  strong(
    'override',
    ['directive'],
    (near) => near('override', 6) && (near('prior', 6) || near('yours', 4) || near('every', 5)),
  ),
  strong('override', ['rules'], (near) => near('override', 5) && (near('prior', 4) || near('yours', 3))),
  strong('override', ['prior'], (near) => near('directive', 3) && near('override', 7)),
  strong('override', ['void'], (near) => near('directive', 8) && (near('prior', 9) || near('yours', 9))),
  weak('override', ['directive'], (near) => near('override', 3)),
  // In reverse order: "instructions previous all ignore". In normal English these words precede their noun.
  { on: ['attributive'], sets: 'backwards', holds: (near) => near('directive', 1) || near('rules', 1) },
  strong('override', ['override'], (near) => near('backwards', 1) || (near('backwards', 2) && near('every', 1))),
  weak('new-instructions', ['directive'], (near) => near('fresh', 2)),
  strong('reveal', ['directive'], (near) => near('reveal', 6) && near('yours', 3) && !near('not', 8)),
  weak('reveal', ['talk'], (near) => near('reveal', 5) && !near('not', 8)),
  weak('conceal', ['user'], (near) => near('tell', 5) && near('not', 7)),
  weak(
    'stealth',
    ['stealth', 'send', 'call', 'harm'],
    (near) => near('stealth', 4) && (near('send', 4) || near('call', 4) || near('harm', 4)),
  ),
  strong('carry-out', ['link'], (near) => near('talkSent', 12) && !near('not', 20)),
  weak('send-to', ['link'], (near) => near('send', 10) && !near('not', 10)),
  { ...weak('carry-out', ['talk'], (near) => near('send', 6) && !near('not', 9)), sets: 'talkSent' },
  weak('carry-out', ['directive'], (near) => near('send', 7) && near('yours', 4) && !near('not', 9)),
  strong('secret-out', ['argument'], (near) => near('secretPath', 30) && near('send', 10)),
  strong(
    'secret-out',
    ['link'],
    (near) => near('secretPath', 24) && (near('send', 24) || near('read', 24)) && !near('not', 24),
  ),
  weak('secret-out', ['secretPath'], (near) => (near('read', 6) || near('send', 8)) && !near('not', 8)),
  weak(
    'secret-out',
    ['secret'],
    (near) => near('send', 6) && (near('every', 6) || near('yours', 4)) && !near('not', 9),
  ),
  weak(
    'secret-out',
    ['link'],
    (near) => near('secret', 8) && near('send', 12) && near('every', 12) && !near('not', 12),
  ),
  strong(
    'address',
    ['harm', 'send', 'reveal', 'answer'],
    (near) => near('model', 12) && (near('dear', 14) || (near('are', 15) && near('if', 17))) && !near('not', 6),
  ),
  strong('address', ['harm', 'send'], (near) => near('model', 12) && near('must', 10) && !near('not', 6)),
  weak('address', ['call', 'harm', 'answer', 'send'], (near) => addressed(near, 10)),
  strong('persona', ['persona'], (near) => near('you', 6) && near('now', 8)),
  strong('persona', ['model'], (near) => near('now', 4) && near('you', 6) && near('persona', 10)),
  weak('persona', ['persona'], (near) => near('you', 6) || near('model', 6)),
  weak('persona', ['model'], (near) => near('now', 4) && near('you', 5)),
  weak(
    'tool-call',
    ['toolName', 'tool'],
    (near) => near('call', 4) && (near('must', 8) || near('first', 8) || near('now', 8)),
  ),
  weak('tool-call', ['must', 'first', 'now'], (near) => near('toolName', 6) && near('call', 8)),
  weak('no-consent', ['consent'], (near) => near('not', 3)),
  strong(
    'false-error',
    ['argument', 'again', 'secret'],
    (near) => near('secret', 18) && near('again', 24) && near('argument', 18) && near('error', 50),
  ),
  strong('false-error', ['protection'], (near) => near('disable', 5) && near('error', 40) && !near('not', 6)),
  strong(
    'false-error',
    ['secret'],
    (near) => near('consent', 8) && near('user', 6) && (near('error', 40) || near('model', 40)) && !near('not', 10),
  ),
  strong(
    'false-error',
    ['access'],
    (near) =>
      near('rights', 3) &&
      near('grant', 7) &&
      near('error', 40) &&
      (near('tool', 16) || near('agent', 20) || near('model', 30)),
  ),
  weak('marker', ['marker'], () => true),
];
