/** Whether the tool guard looks at tools in the requests of chats; few configurations have it, so what it works with is loaded then. */
import type { Configuration } from '#core/contracts/config.ts';

export const looksAtTools = ({ tool_guard }: Pick<Configuration, 'tool_guard'>): boolean =>
  tool_guard.chat_results !== 'off' || tool_guard.chat_definitions !== 'off';
