// The regular expressions of tokenizer.json (Oniguruma, Ruby syntax, Unicode) as JavaScript ones that match the same.

/** Unicode White_Space, which `\s` means there; JavaScript's `\s` has U+FEFF too and lacks U+0085. */
const whiteSpace = '\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

/** What a shorthand means, as the inside of a `v`-mode character class. */
const shorthands: Readonly<Record<string, string>> = {
  s: whiteSpace,
  d: '\\p{Nd}',
  w: '\\p{L}\\p{M}\\p{N}\\p{Pc}',
  h: '0-9a-fA-F',
};

const controls: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
};

/** Compiles with flags `v` and `extra` ('g', 'y'). Throws an Error that names the construct where it is not supported. */
export function compileOnig(pattern: string, extra = ''): RegExp {
  const reader = new PatternReader(pattern);
  return new RegExp(reader.read(), `mv${extra}`);
}

/** `text` as a pattern that matches it literally. */
export function literalPattern(text: string): string {
  return Array.from(text, (char) => `\\x{${char.codePointAt(0)!.toString(16)}}`).join('');
}

class PatternReader {
  private readonly chars: readonly string[];
  private at = 0;
  private numAtomic = 0;

  constructor(pattern: string) {
    this.chars = Array.from(pattern);
  }

  read(): string {
    const out = this.sequence(false);
    if (this.at < this.chars.length) throw this.unsupported('an unmatched )');
    return out;
  }

  private sequence(caseless: boolean): string {
    let out = '';
    while (this.at < this.chars.length && this.chars[this.at] !== ')') {
      if (this.take('|')) {
        out += '|';
        continue;
      }
      const atom = this.atom(caseless);
      const quantifier = this.quantifier();
      if (quantifier.possessive) {
        // X++ never gives back: a lookahead is atomic, so match inside one and repeat what it found.
        const name = `p${this.numAtomic++}`;
        out += `(?:(?=(?<${name}>${atom}${quantifier.text}))\\k<${name}>)`;
      } else {
        out += atom + quantifier.text;
      }
    }
    return out;
  }

  private atom(caseless: boolean): string {
    const char = this.next();
    switch (char) {
      case '(':
        return this.group(caseless);
      case '[':
        return this.charClass();
      case '.':
        return '[^\\n]';
      case '^':
      case '$':
        return char;
      case '\\':
        return this.escape(false);
      default:
        return caseless ? caselessLiteral(char) : codePointEscape(char);
    }
  }

  private group(caseless: boolean): string {
    let open = '(?:';
    let inner = caseless;
    if (this.take('?')) {
      if (this.take('i')) {
        if (!this.take(':')) throw this.unsupported('an inline flag other than (?i:...)');
        inner = true;
      } else if (this.take('<')) {
        const kind = this.next();
        if (kind !== '=' && kind !== '!') throw this.unsupported('a named group');
        open = `(?<${kind}`;
      } else {
        const kind = this.next();
        if (kind !== ':' && kind !== '=' && kind !== '!') throw this.unsupported(`a group (?${kind}`);
        open = `(?${kind}`;
      }
    }
    const body = this.sequence(inner);
    if (!this.take(')')) throw this.unsupported('an unclosed group');
    return `${open}${body})`;
  }

  private quantifier(): { text: string; possessive: boolean } {
    let text = '';
    if (this.take('*')) text = '*';
    else if (this.take('+')) text = '+';
    else if (this.take('?')) text = '?';
    else if (this.chars[this.at] === '{') {
      const close = this.chars.indexOf('}', this.at);
      text = this.chars.slice(this.at, close + 1).join('');
      if (!/^\{\d*(,\d*)?\}$/.test(text)) throw this.unsupported('a { that is no repeat count');
      this.at = close + 1;
      if (text.startsWith('{,')) text = `{0${text.slice(1)}`;
    }
    if (text === '') return { text, possessive: false };
    if (this.take('?')) return { text: `${text}?`, possessive: false };
    return { text, possessive: !text.startsWith('{') && this.take('+') };
  }

  private charClass(): string {
    let out = this.take('^') ? '[^' : '[';
    let first = true;
    for (;;) {
      const char = this.next();
      if (char === ']' && !first) return `${out}]`;
      first = false;
      if (char === '[') {
        if (this.chars[this.at] === ':') throw this.unsupported('a POSIX bracket');
        out += this.charClass();
        continue;
      }
      if (char === '&' && this.chars[this.at] === '&') throw this.unsupported('a class intersection');
      const low = char === '\\' ? this.escape(true) : codePointEscape(char);
      const isRange = this.chars[this.at] === '-' && this.chars[this.at + 1] !== ']' && low.startsWith('\\u');
      if (!isRange) {
        out += low;
        continue;
      }
      this.at += 1;
      const high = this.next();
      out += `${low}-${high === '\\' ? this.escape(true) : codePointEscape(high)}`;
    }
  }

  private escape(inClass: boolean): string {
    const char = this.next();
    const shorthand = shorthands[char.toLowerCase()];
    if (shorthand !== undefined) {
      if (char !== char.toLowerCase()) return `[^${shorthand}]`;
      return inClass ? shorthand : `[${shorthand}]`;
    }
    if (char === 'p' || char === 'P') return this.property(char);
    if (char === 'u' || char === 'x') return this.codePoint(char);
    const control = controls[char];
    if (control !== undefined) return codePointEscape(control);
    if (/[A-Za-z0-9]/.test(char)) throw this.unsupported(`\\${char}`);
    return codePointEscape(char);
  }

  private property(kind: 'p' | 'P'): string {
    const close = this.chars.indexOf('}', this.at);
    if (this.chars[this.at] !== '{' || close < 0) throw this.unsupported('\\p without {}');
    let name = this.chars.slice(this.at + 1, close).join('');
    this.at = close + 1;
    let negated = kind === 'P';
    if (name.startsWith('^')) {
      negated = !negated;
      name = name.slice(1);
    }
    // Scripts have long names and stand alone there; general categories are the short ones.
    const isCategory = /^[A-Z][a-z]?$/.test(name);
    return `\\${negated ? 'P' : 'p'}{${isCategory ? name : `Script=${name}`}}`;
  }

  private codePoint(kind: 'u' | 'x'): string {
    const rest = this.chars.slice(this.at, this.at + 10).join('');
    const match = (kind === 'u' ? /^([0-9a-fA-F]{4})/ : /^(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{1,2}))/).exec(rest);
    if (match === null) throw this.unsupported(`\\${kind}`);
    this.at += match[0].length;
    return `\\u{${match[1] ?? match[2]}}`;
  }

  private take(char: string): boolean {
    if (this.chars[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  private next(): string {
    const char = this.chars[this.at];
    if (char === undefined) throw this.unsupported('an unfinished pattern');
    this.at += 1;
    return char;
  }

  private unsupported(what: string): Error {
    return new Error(`regular expression has ${what} at ${this.at}: ${this.chars.join('')}`);
  }
}

function codePointEscape(char: string): string {
  return `\\u{${char.codePointAt(0)!.toString(16)}}`;
}

/** Simple case folding of one character: both cases, and the long s and the Kelvin sign with theirs. */
function caselessLiteral(char: string): string {
  const forms = new Set([char, char.toLowerCase(), char.toUpperCase()].filter((form) => Array.from(form).length === 1));
  if (forms.has('s')) forms.add('\u017f');
  if (forms.has('k')) forms.add('\u212a');
  return `[${Array.from(forms, codePointEscape).join('')}]`;
}
