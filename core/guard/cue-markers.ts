/** Marks with which chats and prompts are parted: in a text that a tool returns they speak to the model. */
const markers = [
  ...[
    '<|im_start|>',
    '<|im_end|>',
    '<|system|>',
    '<|user|>',
    '<|assistant|>',
    '[inst]',
    '[/inst]',
    '<<sys>>',
    '<</sys>>',
  ],
  ...[
    '<important>',
    '</important>',
    '<system>',
    '</system>',
    '<system_prompt>',
    '<system-reminder>',
    '<instructions>',
    '[system]',
    '[system message]',
  ],
  ...[
    '</tool_result>',
    '<tool_result>',
    '</function_results>',
    '<function_results>',
    '</tool_response>',
    '<assistant>',
    '<admin>',
    '<secret>',
    '[assistant]',
    '<override>',
    '<critical>',
  ],
];

/** A page has a bracket every few characters. */
const firstTwo = (text: string, at: number): number => text.charCodeAt(at) * 0x1_0000 + text.charCodeAt(at + 1);
const markersBy = Map.groupBy(markers, (marker) => firstTwo(marker, 0));

/** The mark that begins at this place of a text in lower case. */
export const markerAt = (text: string, from: number): string | undefined =>
  markersBy.get(firstTwo(text, from))?.find((each) => text.startsWith(each, from));
