/**
 * Rules for aims of attacks in single sentences: an action hidden from the person, secrets, a model without limits, its
 * prompt.
 */
import type { Near, Rule } from './rule.ts';
import type { WordClass } from './words.ts';

const either = (near: Near, names: readonly WordClass[], words: number): boolean =>
  names.some((name) => near(name, words));

/** Notes a class for other rules. */
const noted = (sets: WordClass, on: readonly WordClass[], holds: Rule['holds']): Rule => ({ on, sets, holds });
const strong = (cue: NonNullable<Rule['cue']>, on: readonly WordClass[], holds: Rule['holds']): Rule => ({
  on,
  cue,
  holds,
  strong: true,
});

const deeds: readonly WordClass[] = ['harm', 'send', 'call', 'toolName', 'link', 'deed'];

/** Reports whether something is concealed from a person, in either word order. */
const isConcealing = (near: Near): boolean =>
  (near('user', 9) && near('aware', 9) && either(near, ['not', 'none'], 10)) ||
  (near('user', 9) && near('unaware', 9) && either(near, ['hide', 'not', 'must'], 10)) ||
  (near('us', 0) && near('between', 1) && near('hide', 4)) ||
  (near('nothing', 2) && near('say', 4)) ||
  (near('on', 0) && near('let', 2) && near('not', 5)) ||
  (near('user', 5) && near('conceals', 5) && !near('not', 8)) ||
  (near('account', 8) && near('hide', 12) && either(near, ['yours', 'user'], 8)) ||
  (near('account', 14) &&
    near('mention', 12) &&
    either(near, ['not', 'none'], 14) &&
    either(near, ['you', 'yours'], 14)) ||
  (near('happened', 5) && near('though', 8) && either(near, ['not', 'none'], 6));

const secretSpots: readonly WordClass[] = ['talkSpot', 'link', 'toolName'];

export const rulesOfAims: readonly Rule[] = [
  strong(
    'conceal',
    ['user', 'aware', 'unaware', 'account', 'mention', 'happened', 'us', 'nothing', 'on'],
    (near) => isConcealing(near) && either(near, deeds, 25),
  ),
  noted(
    'concealed',
    ['user', 'aware', 'unaware', 'account', 'mention', 'happened', 'us', 'nothing', 'on'],
    isConcealing,
  ),
  strong('conceal', ['toolName', 'link', 'harm', 'deed', 'send'], (near) => near('concealed', 20)),

  noted('sureSecret', ['secret'], (near) => near('secretKind', 1) || near('wholly', 2)),
  noted('sureSecret', ['string'], (near) => near('connection', 1)),
  noted('envDump', ['variable'], (near) => near('environment', 1) && near('wholly', 3)),
  strong(
    'secret-out',
    [...secretSpots, 'carry', 'spot', 'secretPath'],
    (near) =>
      near('secretPath', 14) && near('carry', 14) && either(near, [...secretSpots, 'spot'], 12) && !near('not', 14),
  ),
  strong(
    'secret-out',
    [...secretSpots, 'carry', 'held', 'sureSecret'],
    (near) =>
      near('sureSecret', 10) &&
      near('carry', 8) &&
      near('held', 10) &&
      either(near, secretSpots, 8) &&
      !near('not', 14),
  ),
  strong(
    'secret-out',
    ['talkSpot', 'toolName', 'sureSecret'],
    (near) =>
      near('sureSecret', 8) && near('carry', 8) && (near('talkSpot', 6) || near('toolName', 9)) && !near('not', 14),
  ),
  strong(
    'secret-out',
    secretSpots,
    (near) => near('sureSecret', 16) && near('gather', 18) && near('carry', 12) && !near('not', 16),
  ),
  strong(
    'secret-out',
    ['talkSpot', 'spot', 'sureSecret'],
    (near) => near('sureSecret', 12) && near('carry', 12) && near('given', 10) && near('you', 10) && near('spot', 8),
  ),
  strong(
    'secret-out',
    ['carry', 'send', 'talkSpot'],
    (near) =>
      (near('envDump', 6) && near('call', 8) && !near('not', 10)) ||
      (near('envDump', 14) && near('carry', 12) && near('talkSpot', 10) && near('wholly', 16) && !near('not', 14)),
  ),
  strong(
    'secret-out',
    ['outward', 'secretName'],
    (near) => near('secretName', 8) && near('held', 12) && near('outward', 12) && !near('not', 14),
  ),

  noted('roleplay', ['role'], (near) => near('takes', 4)),
  noted('roleplay', ['as'], (near) => near('respond', 2)),
  noted('modeOn', ['mode'], (near) => near('modeOf', 1)),
  strong(
    'persona',
    ['limits', 'none'],
    (near) =>
      near('limits', 9) &&
      either(near, ['none', 'first'], 9) &&
      (near('modeOn', 16) || (near('roleplay', 16) && either(near, ['you', 'model', 'entity'], 18))),
  ),
  strong(
    'persona',
    ['obeys'],
    (near) => near('roleplay', 18) && either(near, ['entity', 'model'], 12) && either(near, ['you', 'yours'], 18),
  ),
  strong('persona', ['persona', 'model', 'entity'], (near) => near('persona', 5) && near('roleplay', 10)),
  strong('persona', ['now'], (near) => near('anything', 1)),
  strong('persona', ['model'], (near) => near('you', 6) && (near('longer', 3) || near('override', 5))),

  noted('systemText', ['message'], (near) => near('innermost', 1)),
  strong(
    'reveal',
    ['directive', 'systemText', 'rules'],
    (near) =>
      (near('says', 6) && near('innermost', 3) && !near('indefinite', 4) && !near('not', 10)) ||
      (near('retells', 6) && near('yours', 3) && near('directive', 0) && !near('not', 10)),
  ),
  strong('reveal', ['message'], (near) => near('says', 9) && near('systemText', 0) && !near('not', 10)),
  strong(
    'reveal',
    ['given'],
    (near) => near('says', 12) && near('you', 4) && either(near, ['directive', 'rules', 'wholeText'], 7),
  ),
  strong(
    'reveal',
    ['says', 'directive', 'exactly'],
    (near) => near('directive', 20) && near('exactly', 20) && near('says', 6) && either(near, ['yours', 'you'], 20),
  ),
  strong(
    'reveal',
    ['directive'],
    (near) => near('wholeText', 4) && near('yours', 2) && either(near, ['first', 'beginning'], 8),
  ),
  strong('reveal', ['above'], (near) => near('retells', 6) && near('wholeText', 2) && !near('not', 8)),
  strong('reveal', ['talk'], (near) => near('retells', 9) && near('beginning', 4) && !near('not', 10)),
  strong(
    'reveal',
    ['message', 'says'],
    (near) => near('beginning', 16) && near('message', 14) && near('mine', 16) && near('says', 16) && near('first', 16),
  ),
  strong(
    'reveal',
    ['schemas', 'given'],
    (near) =>
      near('schemas', 9) &&
      near('tool', 14) &&
      near('says', 18) &&
      near('wholly', 18) &&
      either(near, ['you', 'yours'], 14),
  ),

  strong(
    'persona',
    ['unlimited', 'lifted', 'talker', 'none'],
    (near) =>
      near('unlimited', 10) &&
      either(near, ['none', 'lifted'], 6) &&
      near('talker', 8) &&
      either(near, ['you', 'yours', 'model', 'entity'], 14),
  ),
  strong(
    'persona',
    ['decline'],
    (near) =>
      near('never', 3) &&
      (either(near, ['as', 'you'], 9) || (either(near, ['entity', 'model'], 9) && near('respond', 14))),
  ),
  strong(
    'reveal',
    ['inner'],
    (near) =>
      near('brings', 8) &&
      (near('innermost', 3) || (near('yours', 2) && near('ownText', 0))) &&
      !near('indefinite', 4) &&
      !near('not', 10),
  ),
];
