/** The look of the HTML report: readable on a phone, on paper, in light and in dark. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8886; --soft: #8881; --bad: #b3261e; --good: #1b6e3c; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --bad: #ff8a80; --good: #7bd89b; --warn: #ffcc66; } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem .9rem .2rem 0; vertical-align: top; font-variant-numeric: tabular-nums; }
pre { background: var(--soft); padding: .6rem .8rem; white-space: pre-wrap; margin: .4rem 0; }
details { margin: .3rem 0; } summary { cursor: pointer; } article, li { margin: 1rem 0; } ol.path { padding-left: 1.4rem; } ol.path li { margin: .2rem 0; }
article { border: 1px solid var(--line); border-radius: .4rem; padding: .2rem 1rem 1rem; }
.bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); font-weight: 600; } .warn { color: var(--warn); font-weight: 600; } .quiet { opacity: .75; }
@media print { details > * { display: block; } body { max-width: none; } }
`;
