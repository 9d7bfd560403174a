/**
 * Checks whether the tool guard inspects chats. Its code is loaded only in that case, because few configurations need
 * it.
 */
import type { Configuration } from '#core/contracts/config.ts';

export const looksAtTools = ({ tool_guard }: Pick<Configuration, 'tool_guard'>): boolean =>
  tool_guard.chat_results !== 'off' || tool_guard.chat_definitions !== 'off';
