/**
 * Pieces of text and of tool calls, in any order, as Anthropic's blocks, which follow each other. The first unfinished
 * block is streamed as it comes, what belongs to later ones waits, and a tool call makes room once its arguments are
 * complete JSON: nothing is lost, merged or reordered within a call, and indexes have no gaps.
 */
import type { JsonObject } from '#core/kernel/json.ts';
import { objectOf, textOf } from '#core/kernel/narrow.ts';
import { idCarrying, refuseLate, vendorMembers } from '../call-id.ts';

type Kind = 'text' | 'thinking' | 'tool';

interface Block {
  readonly kind: Kind;
  id: string;
  name: string;
  /** The vendor's own members of a call, which its id carries. */
  members: JsonObject;
  /** Not sent yet. */
  waiting: string;
  /** A call's arguments so far: whether they are complete decides when the next block may begin. */
  whole: string;
  /** The last fragment ended as an object does: worth parsing once. */
  mayBeWhole: boolean;
  opened: boolean;
  closed: boolean;
}

/**
 * Blocks in order of their beginning; the first one is open, the others wait.
 * @param newId the id of a call that brings none, by its position among the calls.
 */
export function blockQueue(newId: (position: number) => string) {
  let queue: Block[] = [];
  let index = 0;
  let calls = 0;
  let characters = 0;

  function begin(kind: Kind): Block {
    const id = kind === 'tool' ? newId(calls++) : '';
    const block: Block = {
      kind,
      id,
      name: '',
      members: {},
      waiting: '',
      whole: '',
      mayBeWhole: false,
      opened: false,
      closed: false,
    };
    queue.push(block);
    return block;
  }

  function open(block: Block): JsonObject[] {
    if (block.opened) return [];
    block.opened = true;
    return [{ type: 'content_block_start', index, content_block: beginningOf(block) }];
  }

  /** What the block has to say now. A call without its name yet waits for it. */
  function speak(block: Block, isLastWord: boolean): JsonObject[] {
    if (!block.opened && !isLastWord && (block.kind === 'tool' ? block.name === '' : block.waiting === '')) return [];
    const events = open(block);
    const text = isLastWord && block.kind === 'tool' && block.whole.trim() === '' ? '{}' : block.waiting;
    block.waiting = '';
    if (text !== '') events.push({ type: 'content_block_delta', index, delta: deltaOf(block.kind, text) });
    return events;
  }

  function close(block: Block): JsonObject[] {
    const events = speak(block, true);
    events.push({ type: 'content_block_stop', index });
    block.closed = true;
    index++;
    return events;
  }

  /** Whether the block has said all: a text has once something else began, a call when its arguments are whole. */
  function isComplete(block: Block): boolean {
    if (block.kind !== 'tool') return true;
    if (!block.mayBeWhole) return false;
    block.mayBeWhole = isJson(block.whole);
    return block.mayBeWhole;
  }

  function take(): JsonObject[] {
    const events: JsonObject[] = [];
    let [first, next] = queue;
    while (first && next && isComplete(first)) {
      events.push(...close(first));
      queue.shift();
      [first, next] = queue;
    }
    if (first) events.push(...speak(first, false));
    return events;
  }

  return {
    begin,

    /** Adds text to the last block where that is of its kind, else to a new one. */
    say(kind: 'text' | 'thinking', text: string | undefined): void {
      if (!text) return;
      const last = queue.at(-1);
      const block = last?.kind === kind ? last : begin(kind);
      block.waiting += text;
      characters += text.length;
    },

    /** Adds a fragment to its call. A call that is closed had all its arguments: what follows is white space or an echo. */
    add(block: Block, fragment: JsonObject): void {
      const named = objectOf(fragment.function) ?? objectOf(fragment.custom) ?? {};
      const text = textOf(named.arguments) ?? textOf(named.input) ?? '';
      if (block.opened) refuseLate(fragment, block.members);
      else {
        block.id = textOf(fragment.id) || block.id;
        block.members = { ...block.members, ...vendorMembers(fragment) };
      }
      if (block.closed) return;
      block.name ||= textOf(named.name) ?? '';
      block.waiting += text;
      block.whole += text;
      if (text.trim() !== '') block.mayBeWhole = text.trimEnd().endsWith('}');
      characters += text.length;
    },

    take,
    /** Everything still unsaid, and every block closed. */
    finish(): JsonObject[] {
      const events = queue.flatMap(close);
      queue = [];
      return events;
    },
    calls: () => calls,
    characters: () => characters,
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function beginningOf({ kind, id, name, members }: Block): JsonObject {
  if (kind === 'tool') return { type: 'tool_use', id: idCarrying(id, members), name, input: {} };
  return kind === 'thinking' ? { type: 'thinking', thinking: '', signature: '' } : { type: 'text', text: '' };
}

function deltaOf(kind: Kind, text: string): JsonObject {
  if (kind === 'tool') return { type: 'input_json_delta', partial_json: text };
  return kind === 'thinking' ? { type: 'thinking_delta', thinking: text } : { type: 'text_delta', text };
}
