/** No template needs more; one that asks for more is broken or hostile. */
export const maxCharacters = 64 * 1024 * 1024;
