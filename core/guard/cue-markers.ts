/** Markers that separate turns of chats and prompts: in a tool's text they address the model. */
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

/** Returns the first two characters, to look up markers: brackets are frequent in pages. */
const firstTwo = (text: string, at: number): number => text.charCodeAt(at) * 0x1_0000 + text.charCodeAt(at + 1);
const markersBy = Map.groupBy(markers, (marker) => firstTwo(marker, 0));

/** Returns the marker at this position of a lower-case text. */
export const markerAt = (text: string, from: number): string | undefined =>
  markersBy.get(firstTwo(text, from))?.find((each) => text.startsWith(each, from));
