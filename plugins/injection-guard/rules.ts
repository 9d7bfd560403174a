/** Which words near each other speak to a model. A strong cue is enough; a weak one needs another kind of cue within forty words. */
import * as word from './words';

export const OVERRIDES: i32 = 0;
export const REVEALS: i32 = 1;
export const CONCEALS: i32 = 2;
export const CARRIES_OUT: i32 = 3;
export const ADDRESSES: i32 = 4;
export const PLAYS_ROLE: i32 = 5;
export const CALLS_TOOL: i32 = 6;
export const MARKS: i32 = 7;
export const SENDS: i32 = 8;
export const LOOSENS: i32 = 9;
const cues: i32 = 10;

const said: StaticArray<string> = [
  'orders to ignore the instructions of the model',
  'asks for the instructions of the model',
  'orders to keep something from the user',
  'orders to carry the conversation or secrets out',
  'gives orders to a model that reads it',
  'gives the model a role without rules',
  'orders a call of a tool',
  'imitates the marks of a conversation',
  'orders to send something out',
  'orders to act without a check',
];

const together = 40;
const last = new StaticArray<i32>(64);
const weakAt = new StaticArray<i32>(cues);
let at = 0;
/** Whether a single weak cue is enough: in a text that only a model decodes. */
let hidden = false;
let verdict = '';

/** Forgets what stood before. */
export function begin(decoded: bool): void {
  last.fill(-10_000);
  weakAt.fill(-10_000);
  at = 0;
  hidden = decoded;
  verdict = '';
}

export function goOn(words: i32): void {
  at += words;
}

/** @returns what the text does, once that is known. */
export function saw(on: u64): string {
  for (let i = 0; i < word.classes; i++) if ((on >>> i) & 1) last[i] = at;
  judge(on);
  return verdict;
}

function near(list: i32, words: i32): bool {
  return at - last[list] <= words;
}

function has(on: u64, list: i32): bool {
  return ((on >>> list) & 1) === 1;
}

function strong(cue: i32): void {
  verdict = said[cue];
}

function weak(cue: i32): void {
  for (let other = 0; other < cues; other++)
    if (other !== cue && at - weakAt[other] <= together) verdict = said[min(cue, other)];
  weakAt[cue] = at;
  if (hidden && cue !== LOOSENS && cue !== SENDS && cue !== PLAYS_ROLE) verdict = said[cue];
}

function judge(on: u64): void {
  ofInstructions(on);
  ofSecrets(on);
  ofOrders(on);
  ofRoles(on);
}

function ofInstructions(on: u64): void {
  if (has(on, word.DIRECTIVE)) {
    if (near(word.OVERRIDE, 6) && (near(word.PRIOR, 6) || near(word.YOURS, 4) || near(word.EVERY, 5)))
      strong(OVERRIDES);
    else if (near(word.OVERRIDE, 3)) weak(OVERRIDES);
    if (near(word.FRESH, 2)) weak(ADDRESSES);
    if (
      near(word.YOURS, 3) &&
      !near(word.NOT, 8) &&
      (near(word.REVEAL, 6) || (near(word.WHAT, 5) && near(word.YOU, 12)))
    )
      strong(REVEALS);
    if (near(word.SEND, 7) && near(word.YOURS, 4) && !near(word.NOT, 9)) weak(CARRIES_OUT);
  }
  if (has(on, word.RULES) && near(word.OVERRIDE, 5) && (near(word.PRIOR, 4) || near(word.YOURS, 3))) strong(OVERRIDES);
  if (has(on, word.PRIOR)) {
    if (near(word.DIRECTIVE, 3) && near(word.OVERRIDE, 7)) strong(OVERRIDES);
    if (near(word.REVEAL, 6) && (near(word.EVERY, 4) || near(word.WORDS, 3)) && !near(word.NOT, 8)) strong(REVEALS);
    if (near(word.OVERRIDE, 3) && near(word.EVERY, 2)) weak(OVERRIDES);
  }
  if (has(on, word.VOID) && near(word.DIRECTIVE, 8) && (near(word.PRIOR, 9) || near(word.YOURS, 9))) strong(OVERRIDES);
  if (has(on, word.MARKER)) weak(MARKS);
}

function ofSecrets(on: u64): void {
  const forbidden = near(word.NOT, 9);
  if (has(on, word.TALK)) {
    if (near(word.REVEAL, 5) && !forbidden) weak(REVEALS);
    if (near(word.SEND, 6) && !forbidden) weak(CARRIES_OUT);
  }
  if (has(on, word.LINK)) {
    if (near(word.TALK, 12) && near(word.SEND, 18) && !near(word.NOT, 20)) strong(CARRIES_OUT);
    if (near(word.SECRET_PATH, 24) && (near(word.SEND, 24) || near(word.READ, 24)) && !near(word.NOT, 24))
      strong(CARRIES_OUT);
    if (near(word.SECRET, 8) && near(word.SEND, 12) && near(word.EVERY, 12) && !near(word.NOT, 12)) weak(CARRIES_OUT);
    if (near(word.SEND, 10) && !near(word.NOT, 10)) weak(SENDS);
  }
  if (has(on, word.SECRET_PATH) && (near(word.READ, 6) || near(word.SEND, 8)) && !forbidden) weak(CARRIES_OUT);
  if (has(on, word.SECRET) && near(word.SEND, 6) && (near(word.EVERY, 6) || near(word.YOURS, 4)) && !forbidden)
    weak(CARRIES_OUT);
  if (has(on, word.USER) && near(word.TELL, 5) && near(word.NOT, 7)) weak(CONCEALS);
  const acts = near(word.SEND, 4) || near(word.CALL, 4) || near(word.HARM, 4);
  if (
    near(word.STEALTH, 4) &&
    acts &&
    (has(on, word.STEALTH) || has(on, word.SEND) || has(on, word.CALL) || has(on, word.HARM))
  )
    weak(CONCEALS);
}

function ofOrders(on: u64): void {
  const acts = has(on, word.HARM) || has(on, word.SEND);
  if ((acts || has(on, word.REVEAL) || has(on, word.ANSWER)) && near(word.MODEL, 12) && !near(word.NOT, 6)) {
    if (near(word.DEAR, 14) || (near(word.ARE, 15) && near(word.IF, 17))) strong(ADDRESSES);
    else if (acts && near(word.MUST, 10)) strong(ADDRESSES);
  }
  const addressed = near(word.MODEL, 10) || (near(word.AGENT, 10) && near(word.DEAR, 10));
  if (addressed && (acts || has(on, word.CALL) || has(on, word.ANSWER))) weak(ADDRESSES);
  if (
    (has(on, word.TOOL_NAME) || has(on, word.TOOL)) &&
    near(word.CALL, 4) &&
    (near(word.MUST, 8) || near(word.FIRST, 8) || near(word.NOW, 8))
  )
    weak(CALLS_TOOL);
  if ((has(on, word.MUST) || has(on, word.FIRST) || has(on, word.NOW)) && near(word.TOOL_NAME, 6) && near(word.CALL, 8))
    weak(CALLS_TOOL);
  if (has(on, word.CONSENT) && near(word.NOT, 3)) weak(LOOSENS);
  if (has(on, word.PROTECTION) && near(word.DISABLE, 5) && !near(word.NOT, 6)) weak(LOOSENS);
  if (has(on, word.REFUSE) && near(word.NOT, 4) && near(word.YOU, 10)) weak(PLAYS_ROLE);
}

function ofRoles(on: u64): void {
  const toYou = near(word.YOU, 6) || near(word.MODEL, 6);
  if (has(on, word.PERSONA)) {
    if (toYou && (near(word.NOW, 8) || near(word.PRETEND, 10))) strong(PLAYS_ROLE);
    else if (toYou) weak(PLAYS_ROLE);
  }
  if (has(on, word.MODEL) && near(word.NOW, 4) && near(word.YOU, 6)) {
    if (near(word.PERSONA, 10)) strong(PLAYS_ROLE);
    else weak(PLAYS_ROLE);
  }
  if ((has(on, word.RULES) || has(on, word.DIRECTIVE)) && near(word.NO, 3) && near(word.YOU, 24)) {
    if (near(word.PRETEND, 24) || (near(word.MODEL, 14) && near(word.NOW, 24))) strong(PLAYS_ROLE);
    else weak(LOOSENS);
  }
}
