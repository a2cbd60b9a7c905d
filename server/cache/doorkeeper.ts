/**
 * For as many questions as there is room to keep answers, roughly: what comes again after more others would be gone before its
 * third time. In pairs, of which a question has either, so that two seldom take each other's place; a power of two.
 */
const slots = 8_192;

/**
 * Notes that a question was asked, and tells whether it was not long ago: by its hash alone, in 32 KB that never grow. Questions
 * that came since take the place of older ones.
 */
export function createDoorkeeper(): (question: string) => boolean {
  const hashes = new Uint32Array(slots);
  return (question) => {
    const hash = hashOf(question);
    const first = hash & (slots - 2);
    if (hashes[first] === hash || hashes[first + 1] === hash) return true;
    hashes[first + 1] = hashes[first] ?? 0;
    hashes[first] = hash;
    return false;
  };
}

/** FNV-1a, of 32 bits; never 0, which stands in slots that nobody took. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0 || 1;
}
