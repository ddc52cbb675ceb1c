export function Text({ title, children }) {
  return (
    <section className="text">
      <h1>{title}</h1>
      <p>{children}</p>
    </section>
  );
}
