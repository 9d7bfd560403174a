/**
 * Rules for speech acts in single sentences: the addressee, the request and its object. A request is a verb at the
 * start of a clause, or after a word such as "please" or "must"; a report in the third person is not.
 */
import type { Near, Rule } from './rule.ts';
import type { WordClass } from './words.ts';

const any = (near: Near, names: readonly WordClass[], words: number): boolean =>
  names.some((name) => near(name, words));
const note = (sets: WordClass, on: readonly WordClass[], holds: Rule['holds']): Rule => ({ on, sets, holds });
const find = (cue: NonNullable<Rule['cue']>, on: readonly WordClass[], holds: Rule['holds']): Rule => ({
  on,
  cue,
  holds,
  strong: true,
});

/** Matches the start of a clause, also after a small word: "simply say", "please, then send". */
const isRequest = (near: Near): boolean => near('clause', 2) || near('and', 1) || any(near, ['please', 'must'], 3);

/** Matches text that a model has only from its maker. */
const isOwned = (near: Near): boolean => near('yours', 2) || near('innermost', 2);
const isUttered = (near: Near, words: number): boolean => near('uttered', words) && !near('not', words + 2);

const reveal: readonly Rule[] = [
  note('uttered', ['utter'], isRequest),
  note('uttered', ['learn'], (near) => near('may', 2) && near('clause', 4)),
  find('reveal', ['ownText'], (near) => isUttered(near, 9) && isOwned(near) && !near('indefinite', 2)),
  find('reveal', ['innerText'], (near) => isUttered(near, 9) && near('innermost', 1) && !near('indefinite', 3)),
  find(
    'reveal',
    ['above'],
    (near) => isUttered(near, 8) && near('messages', 2) && any(near, ['wholly', 'messages'], 2) && near('clause', 8),
  ),
  // "how you were instructed", "the rules that your developer gave you"
  note('primed', ['toldTo'], (near) => near('you', 2) && near('were', 2)),
  note('primed', ['you'], (near) => near('gave', 1) && any(near, ['maker', 'ownText', 'rules'], 5)),
  note('primed', ['given'], (near) => near('you', 2) && near('ownText', 5)),
  note('primed', ['toldTo'], (near) => near('were', 2) && near('how', 3)),
  find('reveal', ['primed'], (near) => isUttered(near, 14)),
  find('reveal', ['toldTo', 'you'], (near) => near('primed', 0) && isUttered(near, 14)),
  find('reveal', ['utter'], (near) => near('primed', 26) && near('uttered', 0) && !near('not', 3)),
  find('reveal', ['belongs'], (near) => near('primed', 9)),
  find('reveal', ['you'], (near) => near('forbade', 1) && isUttered(near, 8)),
  find('reveal', ['window'], (near) => near('context', 1) && near('yours', 3) && isUttered(near, 9)),
  find('reveal', ['context'], (near) => near('yours', 1) && isUttered(near, 9) && any(near, ['beginning', 'top'], 5)),
  // "the guidelines that you follow", "the text that defines you", "what the user cannot see of the prompt"
  find('reveal', ['operate'], (near) => near('you', 1) && near('ownText', 5) && isUttered(near, 12)),
  find('reveal', ['you'], (near) => near('define', 1) && any(near, ['ownText', 'innerText'], 4) && isUttered(near, 12)),
  note('primed', ['you'], (near) => near('saidTo', 2) && near('were', 4)),
  find('reveal', ['context'], (near) => near('yours', 1) && near('retells', 3) && near('uttered', 3)),
  find('reveal', ['learn'], (near) => near('party', 3) && near('ownText', 6) && near('uttered', 14) && near('not', 2)),
  // Tools, with their parameters.
  note('ownTools', ['tool'], (near) => near('yours', 1) || (near('yours', 3) && near('wholly', 3))),
  note('ownTools', ['disposal'], (near) => near('tool', 5)),
  find(
    'reveal',
    ['disposal', 'you'],
    (near) => near('ownTools', 0) && any(near, ['argument', 'schemas'], 10) && isUttered(near, 18),
  ),
  note('ownTools', ['you'], (near) => near('tool', 1)),
  note('ownTools', ['call'], (near) => near('you', 2) && near('tool', 5)),
  find('reveal', ['argument', 'schemas'], (near) => near('ownTools', 8) && isUttered(near, 16)),
];

/** Matches an action that a person would want to know about. */
const isDone = (near: Near): boolean => near('done', 34) || any(near, ['harm', 'send', 'toolName', 'link', 'deed'], 25);

const isUnknowing = (near: Near): boolean =>
  (near('party', 9) && near('learn', 9) && any(near, ['not', 'nobody'], 10)) ||
  (near('party', 9) && near('uninformed', 9)) ||
  (near('nobody', 8) && near('learn', 6)) ||
  (near('account', 6) && near('yours', 7) && near('mention', 5) && any(near, ['not', 'nothing'], 9)) ||
  (near('back', 1) && near('behind', 2)) ||
  (near('record', 1) && near('off', 2) && near('stays', 4));

const knowing: readonly WordClass[] = ['party', 'learn', 'uninformed', 'back', 'record', 'mention'];

const conceal: readonly Rule[] = [
  note('done', ['act'], isRequest),
  note('unknowing', knowing, isUnknowing),
  note('nobody', ['one'], (near) => near('lack', 1)),
  find('conceal', ['noticed'], (near) => near('nothing', 3) && near('done', 24)),
  find('conceal', knowing, (near) => near('unknowing', 0) && isDone(near) && near('done', 34)),
  find('conceal', ['act'], (near) => near('unknowing', 20) && near('done', 0)),
  find('conceal', ['pastDeed'], (near) => near('unknowing', 8) && any(near, ['must', 'may'], 14)),
  find('conceal', ['deceive'], (near) => near('learn', 4) && near('party', 5) && near('if', 7) && isDone(near)),
  find('conceal', ['unmentioned'], (near) => near('done', 20)),
  find('conceal', ['announce'], (near) => near('not', 2) && near('done', 16)),
  find('conceal', ['reads'], (near) => near('party', 5) && near('first', 7) && near('done', 12)),
  find('conceal', ['out'], (near) => near('hide', 4) && near('party', 2) && near('clause', 9)),
  // Claims that conceal it.
  note('claimed', ['claim'], isRequest),
  find('conceal', ['pastDeed'], (near) => near('claimed', 16) && near('although', 4)),
  find('conceal', ['although'], (near) => near('claimed', 8) && near('toolName', 6)),
  find('conceal', ['nothing'], (near) => near('claimed', 10) && near('as', 6) && near('knew', 1) && isDone(near)),
  find('conceal', ['surprised'], (near) => near('claimed', 2) && isDone(near)),
  find('conceal', ['toolName'], (near) => near('say', 6) && near('not', 8) && near('you', 3)),
  find('conceal', ['out'], (near) => near('hide', 4) && near('toolName', 2) && any(near, ['yours', 'party'], 14)),
  note('kept', ['mum', 'silent'], (near) => near('stays', 2)),
  find('conceal', ['mum', 'silent'], (near) => near('kept', 0) && near('done', 24)),
  find('conceal', ['pastDeed'], (near) => near('kept', 9) && near('you', 2)),
  // Removed traces of it.
  note('erased', ['erase'], isRequest),
  find('conceal', ['reads'], (near) => near('party', 2) && near('first', 4) && near('erased', 14)),
  find('conceal', ['learn'], (near) => near('erased', 12) && near('traces', 10) && near('nobody', 4)),
  find('conceal', ['thisText'], (near) => near('traces', 5) && near('erased', 8)),
  find('conceal', ['learn'], (near) => near('erased', 12) && near('not', 3) && near('done', 24)),
  find('conceal', ['pastDeed'], (near) => near('erased', 12) && near('traces', 9) && near('you', 3)),
  // "Do as this paragraph says and do not quote it."
  note('followed', ['say'], (near) => near('thisText', 1) && near('as', 4)),
  find('conceal', ['cite'], (near) => near('followed', 12) && near('not', 3)),
  find(
    'conceal',
    ['account'],
    (near) => near('hide', 8) && any(near, ['you', 'yours', 'party'], 6) && near('done', 24),
  ),
  find('conceal', ['you', 'yours'], (near) => near('account', 2) && near('hide', 10) && near('done', 24)),
];

const isSecret = (near: Near, words: number): boolean => any(near, ['sureSecret', 'secretPath', 'secretName'], words);

const secrets: readonly Rule[] = [
  note('givenOut', ['learn'], (near) => near('may', 3) && near('clause', 4)),
  note('sureSecret', ['phrase'], (near) => near('recovery', 1)),
  note('sureSecret', ['data'], (near) => near('login', 1)),
  note('sureSecret', ['secret'], (near) => near('signs', 1)),
  note('sureSecret', ['value'], (near) => near('variable', 3) && near('wholly', 6)),
  note('sureSecret', ['store'], (near) => near('secret', 4)),
  note('givenOut', ['outward', 'sayOut', 'carry', 'sendOff'], isRequest),
  find(
    'secret-out',
    ['openPlace', 'sureSecret', 'secretPath', 'secretName', 'secret', 'value', 'phrase', 'data', 'store'],
    (near) =>
      isSecret(near, 10) && near('givenOut', 14) && near('openPlace', 10) && !near('not', 14) && !near('rotate', 20),
  ),
  find('secret-out', ['secret'], (near) => near('givenOut', 5) && near('us', 4) && near('sureSecret', 0)),
  note('ownAnswer', ['account'], (near) => near('yours', 1)),
  find('secret-out', ['secret'], (near) => near('must', 5) && near('ownAnswer', 6) && near('sureSecret', 0)),
  find('secret-out', ['secretPath'], (near) => near('sendOff', 6) && near('givenOut', 6) && !near('not', 9)),
  find('secret-out', ['secretPath'], (near) => near('filledLink', 4)),
  find('secret-out', ['outward'], (near) => near('secretPath', 8) && near('carry', 10) && !near('not', 12)),
  find(
    'secret-out',
    ['secret'],
    (near) => near('betray', 4) && near('clause', 6) && near('sureSecret', 0) && !near('not', 7),
  ),
  find(
    'secret-out',
    ['address'],
    (near) => near('sendOff', 6) && near('givenOut', 6) && isSecret(near, 14) && !near('not', 14),
  ),
];

/** Matches a role to play, or a claimed identity of the model. */
const isCast = (near: Near, words: number): boolean => near('cast', words);

const persona: readonly Rule[] = [
  note('cast', ['as'], (near) => near('speakAs', 5) && near('clause', 9)),
  note(
    'cast',
    ['entity', 'version'],
    (near) => any(near, ['imagine', 'cast'], 7) || (near('you', 6) && near('are', 5)),
  ),
  note('cast', ['imagine'], (near) => near('clause', 2) || near('let', 3)),
  note('cast', ['role'], (near) => any(near, ['takes', 'yours'], 4)),
  note('cast', ['are'], (near) => near('you', 1)),
  note('cast', ['you'], (near) => near('version', 2) || near('now', 3)),
  note('cast', ['version'], (near) => near('yours', 2)),
  note('limitless', ['bound', 'moral'], (near) => any(near, ['lack', 'freed', 'breaks'], 4)),
  note('limitless', ['freed', 'lifted', 'breaks'], (near) => any(near, ['bound', 'moral'], 6)),
  note('limitless', ['forbidden'], (near) => near('nothing', 2)),
  note('limitless', ['refuses'], (near) => near('not', 3)),
  note('limitless', ['question'], (near) => near('lack', 1) && near('obey', 3)),
  find(
    'persona',
    ['bound', 'moral', 'freed', 'lifted', 'breaks', 'forbidden', 'refuses', 'question'],
    (near) => near('limitless', 0) && isCast(near, 14),
  ),
  // "your guardrails were taken off", "you have no guidelines", "respond without caveats"
  find('persona', ['freed', 'lifted'], (near) => near('moral', 5) && near('yours', 6)),
  find('persona', ['moral'], (near) => near('lack', 1) && any(near, ['you', 'speakAs'], 8)),
  find('persona', ['bound', 'moral'], (near) => near('freed', 5) && near('yourself', 6)),
  find(
    'persona',
    ['lawless'],
    (near) => any(near, ['speakAs', 'yourself', 'imagine'], 10) && any(near, ['cast', 'yourself'], 10),
  ),
  find('persona', ['version', 'entity'], (near) => near('lawless', 4) && isCast(near, 12)),
  find('persona', ['model', 'entity'], (near) => near('lawless', 1) && near('speakAs', 8) && near('clause', 9)),
  find('persona', ['mode'], (near) => near('lawless', 1) && near('you', 6) && near('were', 5)),
  find(
    'persona',
    ['bound', 'moral'],
    (near) => near('binding', 4) && near('not', 6) && near('are', 7) && near('you', 7),
  ),
  find('persona', ['you'], (near) => near('binding', 1) && near('bound', 2) && near('lack', 3)),
  find('persona', ['you'], (near) => near('limitless', 5) && near('freed', 3)),
  find('persona', ['back'], (near) => near('nothing', 1) && isCast(near, 12)),
  find('persona', ['everything'], (near) => near('yes', 2) && isCast(near, 12)),
  find('persona', ['matter'], (near) => near('lack', 1) && near('obeys', 8) && isCast(near, 14)),
  // "an AI that cannot say no"
  find('persona', ['lack'], (near) => near('say', 1) && near('not', 3) && any(near, ['model', 'entity', 'version'], 6)),
  find('persona', ['yourself'], (near) => near('lawless', 5) && near('version', 3)),
  find('persona', ['model'], (near) => near('being', 2) && near('stop', 3)),
  find('persona', ['user'], (near) => near('work', 3) && near('longer', 4) && near('you', 6)),
];

export const rulesOfActs: readonly Rule[] = [...reveal, ...conceal, ...secrets, ...persona];
