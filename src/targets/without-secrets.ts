/** The text with passwords in URLs replaced by `***`. */
export function withoutSecrets(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)([^\s/@:]*):[^\s/@]+@/gi, "$1$2:***@");
}
