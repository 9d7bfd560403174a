/**
 * Converts pieces of text and tool calls, in any order, to Anthropic's sequential blocks. The first unfinished block is
 * streamed immediately; pieces of later blocks are held until its text ends or its arguments are complete JSON. Within
 * a call, pieces are not lost, merged or reordered, and indexes have no gaps.
 */
import type { JsonObject } from '#core/kernel/json.ts';
import { objectOf, textOf } from '#core/kernel/narrow.ts';
import { idCarrying, refuseLate, vendorMembers } from '../call-id.ts';
import { isJson } from '../wire.ts';

type BlockKind = 'text' | 'thinking' | 'tool';

interface Block {
  readonly kind: BlockKind;
  id: string;
  name: string;
  /** Vendor-specific members that the call's id carries. */
  members: JsonObject;
  /** Text that has not been sent yet. */
  waiting: string;
  /** Call arguments received so far; the next block may begin when they are complete. */
  whole: string;
  /** True if the last fragment ended like an object, so that parsing is worthwhile. */
  mayBeWhole: boolean;
  opened: boolean;
  closed: boolean;
}

/**
 * Returns a queue of blocks in the order in which they began; the first is open, the others are pending.
 * @param newId returns an id for a call that has none, based on its position among the calls.
 */
export function blockQueue(newId: (position: number) => string) {
  let queue: Block[] = [];
  let index = 0;
  let calls = 0;
  let characters = 0;

  function begin(kind: BlockKind): Block {
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

  /** Returns the text that the block can send now. A call is held until its tool name is known. */
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

  /**
   * Checks whether the block is complete: a text block is complete once another block begins, a call once its arguments
   * are complete.
   */
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

    /** Adds text to the last block if it is of the same kind, or else to a new block. */
    say(kind: 'text' | 'thinking', text: string | undefined): void {
      if (!text) return;
      const last = queue.at(-1);
      const block = last?.kind === kind ? last : begin(kind);
      block.waiting += text;
      characters += text.length;
    },

    /**
     * Adds a fragment to its call. A closed call already has all its arguments, so any additional fragment is
     * whitespace or an echo.
     */
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
    /** Returns all remaining text and closes every block. */
    finish(): JsonObject[] {
      const events = queue.flatMap(close);
      queue = [];
      return events;
    },
    calls: () => calls,
    characters: () => characters,
  };
}

function beginningOf({ kind, id, name, members }: Block): JsonObject {
  if (kind === 'tool') return { type: 'tool_use', id: idCarrying(id, members), name, input: {} };
  return kind === 'thinking' ? { type: 'thinking', thinking: '', signature: '' } : { type: 'text', text: '' };
}

function deltaOf(kind: BlockKind, text: string): JsonObject {
  if (kind === 'tool') return { type: 'input_json_delta', partial_json: text };
  return kind === 'thinking' ? { type: 'thinking_delta', thinking: text } : { type: 'text_delta', text };
}
