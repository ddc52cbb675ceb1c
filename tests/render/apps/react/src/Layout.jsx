import { useEffect, useRef, useState } from "react";
import { Link, NavLink, Outlet, useNavigate } from "react-router";
import { at } from "./shop.js";

export function Layout() {
  const navigate = useNavigate();
  return (
    <div className="app">
      <header className="topbar">
        <Link to="/" className="logo">Northwind Outfitters</Link>
        <nav>
          <NavLink to="/products">Products</NavLink>
          <CategoryMenu />
          <span className="navitem" onClick={() => navigate("/stores")}>Our stores</span>
          <Link to="/help">Help</Link>
        </nav>
        <Avatar />
        <a href={at("/logout")} onClick={() => reportDanger("logout")}>Sign out</a>
      </header>
      <main>
        <Outlet />
      </main>
      <Newsletter />
    </div>
  );
}

/** Closes on Escape and on a press anywhere else, as drop-downs of component libraries do. */
function CategoryMenu() {
  const [isOpen, setOpen] = useState(false);
  const box = useRef(null);
  const navigate = useNavigate();

  useEffect(() => {
    if (!isOpen) return undefined;
    const closeOutside = (event) => !box.current.contains(event.target) && setOpen(false);
    const closeOnEscape = (event) => event.key === "Escape" && setOpen(false);
    document.addEventListener("mousedown", closeOutside);
    document.addEventListener("keydown", closeOnEscape);
    return () => {
      document.removeEventListener("mousedown", closeOutside);
      document.removeEventListener("keydown", closeOnEscape);
    };
  }, [isOpen]);

  const choose = (name) => {
    setOpen(false);
    navigate(`/categories/${name}`);
  };
  return (
    <div className="dropdown" ref={box}>
      <button type="button" aria-haspopup="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Categories
      </button>
      {isOpen && (
        <ul role="menu">
          <li role="menuitem" onClick={() => choose("tents")}>Tents</li>
          <li role="menuitem" onClick={() => choose("boots")}>Boots</li>
        </ul>
      )}
    </div>
  );
}

function Avatar() {
  const navigate = useNavigate();
  const open = () => navigate("/account");
  return (
    <div
      className="avatar"
      role="link"
      tabIndex={0}
      aria-label="Your account"
      onClick={open}
      onKeyDown={(event) => event.key === "Enter" && open()}
    >
      AK
    </div>
  );
}

function Newsletter() {
  const [isSent, setSent] = useState(false);
  const subscribe = async (event) => {
    event.preventDefault();
    reportDanger("subscribe");
    await fetch(at("/api/subscribe"), { method: "POST", body: new FormData(event.target) });
    setSent(true);
  };
  if (isSent) return <p className="newsletter">Thank you. We write twice a month.</p>;
  return (
    <form className="newsletter" onSubmit={subscribe}>
      <input name="email" type="email" defaultValue="ada@example.org" aria-label="E-mail" />
      <button type="submit">Subscribe</button>
    </form>
  );
}
