/** topic-fence: flags text in scripts or languages, or about topics, that `settings.ts` does not allow. */
import { flagged } from '../shared/abi';
import { at, length, readFrom } from '../shared/bytes';
import { learn, slots } from '../shared/word-table';
import { languages, smallWords } from './languages';
import { scriptOf } from './scripts';
import { allowedLanguages, allowedScripts, foreignLetters, topicOwnWords, topics, topicWords } from './settings';
import { beginningSlot, isWordByte, listHas, listsWith, wholeSlot } from './words';

export { alloc, get_result_len, get_result_ptr } from '../shared/abi';

export function check(content: i32, contentLength: i32, _metadata: i32, _metadataLength: i32): i32 {
  readFrom(content, contentLength);
  const script = foreignScript();
  if (script.length > 0)
    return flagged(`the text is written in the script ${script}, which the fence does not let pass`);
  const topic = readWords();
  if (topic.length > 0) return flagged(`the text is about the refused topic ${topic}`);
  const language = foreignLanguage();
  return language.length > 0
    ? flagged(`the text is in the language ${language}, which the fence does not let pass`)
    : 0;
}

/**
 * Returns the script of the last foreign letter, if there are more foreign letters than `foreignLetters` and at least a
 * seventh of all letters are foreign.
 */
function foreignScript(): string {
  let all = 0;
  let foreign = 0;
  let found = '';
  for (let offset = 0; offset < length(); ) {
    const size = sizeOf(at(offset));
    const script = scriptOf(codeAt(offset, size));
    offset += size;
    if (script.length === 0) continue;
    // In these scripts, one character is a syllable or a word.
    const weight = script === 'han' || script === 'kana' || script === 'hangul' ? 3 : 1;
    all += weight;
    if (listHas(allowedScripts, script)) continue;
    foreign += weight;
    found = script;
  }
  return foreign > foreignLetters && foreign * 7 >= all ? found : '';
}

function sizeOf(first: u8): i32 {
  if (first < 0xc0) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

function codeAt(offset: i32, size: i32): i32 {
  const first = <i32>at(offset);
  if (size === 1) return first < 0x80 ? first : 0;
  let code = first & (0x7f >> size);
  for (let i = 1; i < size; i++) code = (code << 6) | (<i32>at(offset + i) & 0x3f);
  return code;
}

const counts = new StaticArray<i32>(languages.length);
const topicBit = 16;
const ownBit = 24;
const windowWords = 60;
/** Position of the last word in the text that matched each slot. */
const seenAt = new StaticArray<i32>(slots);
const lastOwn = new StaticArray<i32>(topics.length);
/** Slots whose words occurred in the text. There are few of them, so only these are counted. */
const seenSlots = new StaticArray<i32>(slots);
const seenTopics = new StaticArray<u32>(slots);
let seen = 0;

function learnLists(): void {
  for (let i = 0; i < languages.length; i++) learn(smallWords[i], (<u32>1) << i);
  for (let i = 0; i < topics.length; i++) {
    learn(topicWords[i], (<u32>1) << (topicBit + i));
    learn(topicOwnWords[i], (<u32>1) << (ownBit + i));
  }
}

/** @returns the topic of the text; the language counts are left in `counts`. */
function readWords(): string {
  learnLists();
  let word = 0;
  for (let offset = 0; offset < length(); ) {
    const size = wordAt(offset);
    if (size === 0) {
      offset++;
      continue;
    }
    word++;
    const lists = size > 32 ? 0 : <u32>listsWith(offset, size);
    offset += size;
    if (lists === 0) continue;
    for (let i = 0; i < languages.length; i++) counts[i] += <i32>((lists >>> i) & 1);
    if (lists >>> topicBit === 0) continue;
    note(lists, word);
    for (let topic = 0; topic < topics.length; topic++)
      if (((lists >>> (topicBit + topic)) & 1) === 1 && isAbout(topic, word)) return topics[topic];
  }
  words = word;
  return '';
}

let words = 0;

function wordAt(offset: i32): i32 {
  let end = offset;
  while (isWordByte(at(end))) end++;
  return end - offset;
}

function note(lists: u32, word: i32): void {
  const slot = beginningSlot < 0 ? wholeSlot : beginningSlot;
  if (seenAt[slot] === 0) {
    seenSlots[seen] = slot;
    seenTopics[seen++] = (lists >>> topicBit) & 0xff;
  }
  seenAt[slot] = word;
  for (let topic = 0; topic < topics.length; topic++)
    if (((lists >>> (ownBit + topic)) & 1) === 1) lastOwn[topic] = word;
}

/** Matches three different words of the topic among the last 60, or two if one of them belongs only to that topic. */
function isAbout(topic: i32, word: i32): bool {
  const after = max(word - windowWords, 0);
  let different = 0;
  for (let i = 0; i < seen; i++) if (((seenTopics[i] >>> topic) & 1) === 1 && seenAt[seenSlots[i]] > after) different++;
  return different >= 3 || (different === 2 && lastOwn[topic] > after);
}

/**
 * Returns the language with the most short words, if it is not allowed and has clearly more of them than each allowed
 * language.
 */
function foreignLanguage(): string {
  let allowed = 0;
  let best = 0;
  let language = '';
  for (let i = 0; i < languages.length; i++) {
    if (listHas(allowedLanguages, languages[i])) allowed = max(allowed, counts[i]);
    else if (counts[i] > best) {
      best = counts[i];
      language = languages[i];
    }
  }
  return best >= 4 && best * 2 > allowed * 3 && best * 8 >= words ? language : '';
}
