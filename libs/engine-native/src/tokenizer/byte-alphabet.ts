// The alphabet of byte-level vocabularies: each byte is one printable character (tokenizer.md, section 3).

const charOfByte: string[] = [];
const byteOfChar = new Map<number, number>();

let nextCode = 256;
for (let byte = 0; byte < 256; byte += 1) {
  const isPrintable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  const code = isPrintable ? byte : nextCode++;
  charOfByte.push(String.fromCharCode(code));
  byteOfChar.set(code, byte);
}

/** The character that stands for each byte. */
export const byteChars: readonly string[] = charOfByte;

const encoder = new TextEncoder();

/** UTF-8 text in the alphabet, e.g. ' é' as 'ĠÃ©'. */
export function toByteAlphabet(text: string): string {
  let out = '';
  for (const byte of encoder.encode(text)) out += charOfByte[byte];
  return out;
}

/** The bytes a token's text stands for; text with a character outside the alphabet stands for itself. */
export function fromByteAlphabet(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) {
    const byte = byteOfChar.get(text.charCodeAt(i));
    if (byte === undefined) return encoder.encode(text);
    bytes[i] = byte;
  }
  return bytes;
}
