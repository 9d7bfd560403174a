/** Messages, as Anthropic's clients call them (spec §4.1). */
import { type ChatDoorPorts, chatDoor } from '../middleware/chat-door.ts';

export const door = (ports: ChatDoorPorts) => chatDoor('messages', 'anthropic', ports);
